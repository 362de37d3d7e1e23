/** Reads what schemas leave open: time ranges, pages, lists of symbols. */
import { type Refusal, refuse } from "../api/errors.ts";
import { type Accepted, accept } from "../domain/index.ts";
import type { TimeRange } from "../queries/history-port.ts";

/** What a parameter says, or why it is refused. */
export type Read<Value> = Accepted<Value> | Refusal;

/** A whole number, or its digits as text, as v2 takes them in bodies. */
export type Whole = number | string;

/**
 * `fields` are the names of the two ends on the wire. Both ends are inclusive, an absent one is
 * open.
 */
export function readTimeRange(
  from: Whole | undefined,
  to: Whole | undefined,
  fields: readonly [from: string, to: string],
): Read<TimeRange> {
  const fromMs = from === undefined ? null : Number(from);
  const toMs = to === undefined ? null : Number(to);
  return fromMs !== null && toMs !== null && fromMs > toMs
    ? refuse("start-after-end", fields[0], `${fields[0]} must not be after ${fields[1]}`)
    : accept({ fromMs, toMs });
}

export interface SentTimeRange {
  readonly startTime?: Whole;
  readonly endTime?: Whole;
}

export function readStartAndEnd({ startTime, endTime }: SentTimeRange): Read<TimeRange> {
  return readTimeRange(startTime, endTime, ["startTime", "endTime"]);
}

export const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * A range of at most `daysMax` days, also when the end lies in the future. An absent end is open,
 * however long that makes the range.
 */
export function readPastRange(sent: SentTimeRange, daysMax: number): Read<TimeRange> {
  const range = readStartAndEnd(sent);
  if (!range.ok) return range;
  const { fromMs, toMs } = range.value;
  if (fromMs !== null && toMs !== null && toMs - fromMs > daysMax * DAY_MS) {
    return refuse("time-range-too-long", "endTime", `at most ${daysMax} days after startTime`);
  }
  return range;
}

/** For rows that the engine answers itself. */
export function isInside(timeMs: number, { fromMs, toMs }: TimeRange): boolean {
  return (fromMs === null || timeMs >= fromMs) && (toMs === null || timeMs <= toMs);
}

/** Deep pages cost what they skip; older rows are found by time. */
const ROWS_SKIPPED_MAX = 100_000;

/**
 * Rows before a page that is counted from 0. `fields` are the names of the page and of the end of
 * the time range on the wire.
 */
export function readOffset(
  page: number,
  pageSize: number,
  fields: readonly [page: string, to: string],
): Read<number> {
  const offset = page * pageSize;
  return offset > ROWS_SKIPPED_MAX
    ? refuse("parameter-out-of-range", fields[0], `go further back with ${fields[1]}`)
    : accept(offset);
}

const SYMBOLS_MAX = 100;

export interface SymbolChoice {
  readonly symbol?: string;
  readonly symbols?: string;
}

/** The symbols that a caller chose with `symbol` or `symbols`; null is all of them. */
export function readSymbols({ symbol, symbols }: SymbolChoice): Read<readonly string[] | null> {
  if (symbols === undefined) return accept(symbol === undefined ? null : [symbol]);
  if (symbol !== undefined) {
    return refuse("invalid-combination", "symbols", "send symbol or symbols, not both");
  }
  const listed = symbols.startsWith("[") ? parseJsonTexts(symbols) : symbols.split(",");
  if (listed === null || listed.length === 0) {
    const detail = 'comma-separated, or a JSON array such as ["BTCUSDT","ETHUSDT"]';
    return refuse("invalid-parameter", "symbols", detail);
  }
  if (listed.length > SYMBOLS_MAX) {
    return refuse("parameter-out-of-range", "symbols", `at most ${SYMBOLS_MAX} symbols`);
  }
  return accept([...new Set(listed)]);
}

/** Null for anything but a JSON array of strings. */
function parseJsonTexts(text: string): readonly string[] | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  return Array.isArray(parsed) && parsed.every((item) => typeof item === "string") ? parsed : null;
}

/** The rows of the chosen symbols, in the caller's order. */
export function pickSymbols<Row extends { readonly symbol: string }>(
  rows: readonly Row[],
  chosen: readonly string[] | null,
): Read<readonly Row[]> {
  if (chosen === null) return accept(rows);
  const bySymbol = new Map(rows.map((row) => [row.symbol, row]));
  const picked: Row[] = [];
  for (const symbol of chosen) {
    const row = bySymbol.get(symbol);
    if (row === undefined) return refuse("unknown-symbol", "symbols", symbol.slice(0, 40));
    picked.push(row);
  }
  return accept(picked);
}
