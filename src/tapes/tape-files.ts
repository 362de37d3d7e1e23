/**
 * The files of a recording: which format they have, and their steps in order. Reading them once
 * without using the steps checks them whole.
 */
import { basename } from "node:path";
import { CandleReader } from "./candles.ts";
import { type BookRow, LobsterReader, parseBookRow } from "./lobster.ts";
import { MarketGrid, type TapeMarket } from "./market-grid.ts";
import { type Rows, readRows } from "./rows.ts";
import type { TapeReader, TapeStep } from "./tape.ts";
import { TapeError } from "./tape-error.ts";
import { AggTradeReader, TradeReader } from "./trades.ts";

export const TAPE_FORMATS = ["lobster", "trades", "agg-trades", "candles"] as const;
export type TapeFormat = (typeof TAPE_FORMATS)[number];

export interface TapeFiles {
  readonly format: TapeFormat;
  /** In the order of their times. */
  readonly paths: readonly string[];
  /** LOBSTER's order book files, one for each message file; else none. */
  readonly books: readonly string[];
  /** UTC midnight of the day in the first file's name; null where the steps have dates. */
  readonly midnightMs: number | null;
}

/** Steps of one file, with what was read of it. */
export interface TapeSteps {
  readonly path: string;
  readonly steps: readonly TapeStep[];
  /** Of all files so far. */
  readonly bytesRead: number;
}

/** Throws `TapeError`. Without a format the first row of each file decides. */
export async function findTapeFiles(
  paths: readonly string[],
  given: TapeFormat | null,
): Promise<TapeFiles> {
  const firsts = await Promise.all(
    paths.map(async (path) => [path, await firstRow(path)] as const),
  );
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
  return { format, paths: messages, books, midnightMs };
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

function formatOf(row: string): TapeFormat | null {
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

/** The reader's `needs` are complete when all steps were read. */
export function openReader(format: TapeFormat, market: TapeMarket): TapeReader {
  const grid = new MarketGrid(market);
  switch (format) {
    case "lobster":
      return new LobsterReader(grid);
    case "trades":
      return new TradeReader(grid);
    case "agg-trades":
      return new AggTradeReader(grid);
    case "candles":
      return new CandleReader(grid);
  }
}

/** Throws `TapeError` with file and line at the first row that is wrong. */
export async function* readTape(
  files: TapeFiles,
  reader: TapeReader,
  market: TapeMarket,
): AsyncGenerator<TapeSteps> {
  const grid = new MarketGrid(market);
  let before = 0;
  for (const [i, path] of files.paths.entries()) {
    const bookPath = files.books[i];
    const books = bookPath === undefined ? null : new BookRows(bookPath, grid);
    let read = 0;
    for await (const rows of readRows(path)) {
      read = rows.bytesRead;
      yield { path, steps: await stepsOf(path, rows, reader, books), bytesRead: before + read };
    }
    await books?.end();
    before += read;
  }
}

async function stepsOf(
  path: string,
  { texts, firstLine }: Rows,
  reader: TapeReader,
  books: BookRows | null,
): Promise<readonly TapeStep[]> {
  const steps: TapeStep[] = [];
  for (const [i, text] of texts.entries()) {
    const line = firstLine + i;
    const book = books === null ? null : await books.next(path, line);
    try {
      if (book !== null && reader instanceof LobsterReader) {
        reader.readWithBook(text, line, steps, book);
      } else reader.read(text, line, steps);
    } catch (error) {
      throw error instanceof TapeError ? error.at(path, line) : error;
    }
  }
  return steps;
}

/** The rows of an order book file, one for each row of messages. */
export class BookRows {
  readonly path: string;
  readonly #grid: MarketGrid;
  readonly #rows: AsyncGenerator<Rows>;
  #texts: readonly string[] = [];
  #next = 0;
  /** Of the last row. */
  #line = 0;
  #columns: number | null = null;

  constructor(path: string, grid: MarketGrid) {
    this.path = path;
    this.#grid = grid;
    this.#rows = readRows(path);
  }

  /** The row of the message in this file and line. */
  async next(messages: string, line: number): Promise<BookRow> {
    const text = await this.#text();
    if (text === null) {
      const problem = `it has ${this.#line} rows, and ${messages} has at least ${line}`;
      throw new TapeError("file", problem, `${this.path}:${this.#line + 1}`);
    }
    this.#line++;
    const columns = text.split(",").length;
    this.#columns ??= columns;
    const where = `${this.path}:${this.#line}`;
    if (columns !== this.#columns) {
      throw new TapeError("columns", `${this.#columns} expected, ${columns} found`, where);
    }
    try {
      return parseBookRow(text, this.#grid);
    } catch (error) {
      throw error instanceof TapeError ? error.at(this.path, this.#line) : error;
    }
  }

  /** Levels of a row. */
  get levels(): number {
    return (this.#columns ?? 0) / 4;
  }

  /** Throws when rows are left. */
  async end(): Promise<void> {
    if ((await this.#text()) === null) return;
    const problem = `it has more rows than there are messages (${this.#line})`;
    throw new TapeError("file", problem, `${this.path}:${this.#line + 1}`);
  }

  async #text(): Promise<string | null> {
    while (this.#next === this.#texts.length) {
      const { done, value } = await this.#rows.next();
      if (done === true) return null;
      this.#texts = value.texts;
      this.#next = 0;
    }
    this.#next++;
    return this.#texts[this.#next - 1] as string;
  }
}
