/** The files of a recording: which format they have, and what each of them is. */
import { basename } from "node:path";
import { LEVEL_FORMATS, type LevelFormat } from "./level-rows.ts";
import { readRows } from "./rows.ts";
import { TapeError } from "./tape-error.ts";
import type { TradeFormat } from "./trades.ts";

/** Each row is a step. */
const ROW_FORMATS = ["lobster", "trades", "agg-trades", "candles"] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];
export const TAPE_FORMATS = [...ROW_FORMATS, ...LEVEL_FORMATS] as const;
export type TapeFormat = (typeof TAPE_FORMATS)[number];

export interface TapeFiles {
  readonly format: TapeFormat;
  /** In the order of their times. */
  readonly paths: readonly string[];
  /** LOBSTER's order book files, one for each message file; else none. */
  readonly books: readonly string[];
  /** Of the formats by levels: the trades that go with the book; else none. */
  readonly trades: readonly string[];
  readonly tradeFormat: TradeFormat;
  /** UTC midnight of the day in the first file's name; null where the steps have dates. */
  readonly midnightMs: number | null;
}

/** A file and its first row. */
type First = readonly [path: string, row: string];

/** Throws `TapeError`. Without a format the first row of each file decides. */
export async function findTapeFiles(
  paths: readonly string[],
  given: TapeFormat | null,
): Promise<TapeFiles> {
  const firsts = await Promise.all(
    paths.map(async (path): Promise<First> => {
      return [path, await firstRow(path)];
    }),
  );
  const level = firsts.find(([, row]) => levelFormatOf(row) !== null);
  const isByLevels = LEVEL_FORMATS.some((format) => format === given);
  if (level !== undefined && (given === null || isByLevels)) {
    return levelFiles(firsts, given ?? (levelFormatOf(level[1]) as LevelFormat));
  }
  if (isByLevels) {
    throw new TapeError("columns", `no file has the columns of ${given}`, `${paths[0]}:1`);
  }
  return rowFiles(firsts, given as RowFormat | null);
}

function rowFiles(firsts: readonly First[], given: RowFormat | null): TapeFiles {
  const books = firsts.filter(([path, row]) => isBook(path, row)).map(([path]) => path);
  const rest = firsts.filter(([path]) => !books.includes(path));
  const [first] = rest;
  if (first === undefined) throw new TapeError("file", "an order book file alone is no recording");
  const format = given ?? formatOf(first[1]);
  if (format === null) {
    const problem = `no known format: name one of ${TAPE_FORMATS.join(", ")} with --format`;
    throw new TapeError("columns", problem, `${first[0]}:1`);
  }
  if (books.length > 0 && (format !== "lobster" || books.length !== rest.length)) {
    const problem = "one order book file for each message file";
    throw new TapeError("file", problem, books[0]);
  }
  const messages = rest.map(([path]) => path);
  const midnightMs = format === "lobster" ? dayInName(messages[0] ?? "") : null;
  return { format, paths: messages, books, trades: [], tradeFormat: "trades", midnightMs };
}

/** Files of the book, and files of trades; each in the order of their times. */
function levelFiles(firsts: readonly First[], format: TapeFormat): TapeFiles {
  const paths: string[] = [];
  const trades: string[] = [];
  let tradeFormat: TradeFormat | null = null;
  for (const [path, row] of firsts) {
    const levels = levelFormatOf(row);
    const found = levels ?? formatOf(row);
    if (found === format) paths.push(path);
    else if (isTrades(found) && (tradeFormat ?? found) === found) {
      tradeFormat = found;
      trades.push(path);
    } else {
      const problem = `neither of format ${format} nor trades of one format that go with it`;
      throw new TapeError("columns", problem, `${path}:1`);
    }
  }
  return {
    format,
    paths,
    books: [],
    trades,
    tradeFormat: tradeFormat ?? "trades",
    midnightMs: null,
  };
}

function isTrades(format: TapeFormat | null): format is TradeFormat {
  return format === "trades" || format === "agg-trades";
}

function levelFormatOf(row: string): LevelFormat | null {
  const heading = row.toLowerCase();
  if (/is_snapshot/.test(heading) || /,(true|false),(bid|ask),/.test(heading)) return "level-2";
  return /percentage,depth,notional/.test(heading) ? "book-depth" : null;
}

async function firstRow(path: string): Promise<string> {
  for await (const { texts } of readRows(path)) return texts[0] ?? "";
  throw new TapeError("file", "it is empty", path);
}

/** LOBSTER's order book files have four columns a level, and say so in their names. */
function isBook(path: string, row: string): boolean {
  const columns = row.split(",").length;
  return columns % 4 === 0 && (columns > 8 || /order_?book/i.test(basename(path)));
}

function formatOf(row: string): RowFormat | null {
  const cells = row.split(",");
  if (cells.length === 6 && /^[1-7]$/.test(cells[1] ?? "") && /^-?1$/.test(cells[5] ?? "")) {
    return "lobster";
  }
  const heading = row.toLowerCase();
  if (/agg_trade_id/.test(heading)) return "agg-trades";
  if (/open.*high.*low.*close/.test(heading)) return "candles";
  if (/price/.test(heading)) return "trades";
  if (cells.length === 6 && cells.every((cell) => /^[\d.eE+-]+$/.test(cell))) return "candles";
  if (/,(true|false)$/i.test(row) && cells.length >= 7) return "agg-trades";
  return cells.length === 3 || cells.length === 4 ? "trades" : null;
}

function dayInName(path: string): number | null {
  const [day] = /\d{4}-\d{2}-\d{2}/.exec(basename(path)) ?? [];
  const ms = day === undefined ? Number.NaN : Date.parse(`${day}T00:00Z`);
  return Number.isSafeInteger(ms) ? ms : null;
}
