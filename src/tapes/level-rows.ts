/**
 * Rows of files that record a market by levels, as messages of one moment each: tardis's
 * `incremental_book_L2`, and Binance's `bookDepth`.
 */
import { parseDecimal } from "../domain/index.ts";
import { Columns, RisingTime, RowTime, readTimeMs } from "./columns.ts";
import type { LevelChange } from "./level-book.ts";
import type { MarketGrid } from "./market-grid.ts";
import type { Side } from "./tape.ts";
import { TapeError } from "./tape-error.ts";

export const LEVEL_FORMATS = ["level-2", "book-depth"] as const;
export type LevelFormat = (typeof LEVEL_FORMATS)[number];

export interface LevelMessage {
  readonly timeMs: number;
  /** Of its last row. */
  readonly line: number;
  /** It is the whole book. */
  readonly isSnapshot: boolean;
  readonly changes: readonly LevelChange[];
}

export interface LevelRows {
  /** The message that ended before this row, if one did. Throws `TapeError` without a place. */
  parse(text: string, line: number): LevelMessage | null;
  /** The last message of a file. */
  end(): LevelMessage | null;
}

export function levelRows(format: LevelFormat, grid: MarketGrid): LevelRows {
  return format === "level-2" ? new Level2Rows(grid) : new DepthRows(grid);
}

/** Of one message: a whole book of any market is smaller, and memory is bounded. */
const CHANGES_MAX = 500_000;

const LEVEL_2_COLUMNS = {
  exchange: ["exchange"],
  symbol: ["symbol"],
  timestamp: ["timestamp"],
  localTimestamp: ["local_timestamp"],
  isSnapshot: ["is_snapshot"],
  side: ["side"],
  price: ["price"],
  amount: ["amount"],
} as const;

/**
 * A message is what has one time of arrival, and a snapshot all its rows. What comes before the
 * first snapshot is about a book that is not known.
 */
class Level2Rows implements LevelRows {
  readonly #columns = new Columns(LEVEL_2_COLUMNS, [
    "timestamp",
    "localTimestamp",
    "isSnapshot",
    "side",
    "price",
    "amount",
  ]);
  readonly #grid: MarketGrid;
  readonly #time = new RowTime();
  #changes: LevelChange[] = [];
  #timeMs = 0;
  #line = 0;
  #arrival = "";
  #isSnapshot = false;

  constructor(grid: MarketGrid) {
    this.#grid = grid;
  }

  parse(text: string, line: number): LevelMessage | null {
    const row = this.#columns.read(text);
    if (row === null) return null;
    const { timestamp = "", localTimestamp = "", side = "", price = "", amount = "" } = row;
    const isSnapshot = flag(row.isSnapshot ?? "");
    const timeMs = this.#time.read(timestamp, localTimestamp);
    const change = { side: sideNamed(side), ticks: this.#grid.price(price), lots: 0 };
    if (!isZero(amount)) change.lots = this.#grid.quantity(amount, "amount");
    const isSame =
      isSnapshot === this.#isSnapshot && (isSnapshot || localTimestamp === this.#arrival);
    const ended = isSame ? null : this.end();
    this.#isSnapshot = isSnapshot;
    this.#arrival = localTimestamp;
    this.#timeMs = timeMs;
    this.#line = line;
    if (this.#changes.length >= CHANGES_MAX) {
      throw new TapeError("localTimestamp", `more than ${CHANGES_MAX} rows are one message`);
    }
    this.#changes.push(change);
    return ended;
  }

  end(): LevelMessage | null {
    const changes = this.#changes;
    if (changes.length === 0) return null;
    this.#changes = [];
    return { timeMs: this.#timeMs, line: this.#line, isSnapshot: this.#isSnapshot, changes };
  }
}

function isZero(text: string): boolean {
  return /^0+(\.0*)?$/.test(text);
}

function flag(text: string): boolean {
  const word = text.toLowerCase();
  if (word === "true" || word === "false") return word === "true";
  throw new TapeError("isSnapshot", `"${text}" is neither true nor false`);
}

function sideNamed(text: string): Side {
  if (text === "bid") return "BUY";
  if (text === "ask") return "SELL";
  throw new TapeError("side", `"${text}" is neither bid nor ask`);
}

const DEPTH_COLUMNS = {
  timestamp: ["timestamp"],
  percentage: ["percentage"],
  depth: ["depth"],
  notional: ["notional"],
} as const;

/** More than any file has of a side. */
const BANDS_MAX = 100;
/** Of notional values. */
const NOTIONAL_SCALE = 12;
const PERCENTAGE = /^(-?)(\d{1,3}(?:\.\d{1,4})?)$/;

/** All up to a distance from the mid price. */
interface Band {
  readonly side: Side;
  readonly percent: number;
  readonly text: string;
  readonly lots: number;
  readonly notional: bigint;
}

/**
 * Totals up to some percentages from the mid price, every half minute. They have no prices: what a
 * band adds to the one within it is one level, at the average price that depth and notional give.
 */
class DepthRows implements LevelRows {
  readonly #columns = new Columns(DEPTH_COLUMNS, ["timestamp", "percentage", "depth", "notional"]);
  readonly #grid: MarketGrid;
  readonly #time = new RisingTime();
  #bands: Band[] = [];
  #timeMs = 0;
  #timestamp = "";
  #line = 0;

  constructor(grid: MarketGrid) {
    this.#grid = grid;
  }

  parse(text: string, line: number): LevelMessage | null {
    const row = this.#columns.read(text);
    if (row === null) return null;
    const { timestamp = "", percentage = "", depth = "", notional = "" } = row;
    const timeMs = readTimeMs(timestamp);
    this.#time.check(timeMs, timestamp);
    const band = { ...bandNamed(percentage), ...this.#sizes(depth, notional) };
    const ended = timestamp === this.#timestamp ? null : this.end();
    this.#timestamp = timestamp;
    this.#timeMs = timeMs;
    this.#line = line;
    this.#checkBand(band);
    this.#bands.push(band);
    return ended;
  }

  end(): LevelMessage | null {
    const bands = this.#bands;
    if (bands.length === 0) return null;
    this.#bands = [];
    const changes = (["BUY", "SELL"] as const).flatMap((side) => this.#levelsOf(bands, side));
    return { timeMs: this.#timeMs, line: this.#line, isSnapshot: true, changes };
  }

  #sizes(depth: string, notional: string): Pick<Band, "lots" | "notional"> {
    const lots = isZero(depth) ? 0 : this.#grid.quantity(depth, "depth");
    const value = parseDecimal(notional, NOTIONAL_SCALE);
    if (typeof value !== "bigint" || value > 0n !== lots > 0) {
      throw new TapeError("notional", `"${notional}" is not the value of a depth of ${depth}`);
    }
    return { lots, notional: value };
  }

  /** A wider band has at least as much as one within it. */
  #checkBand({ side, percent, text, lots, notional }: Band): void {
    for (const other of this.#bands) {
      if (other.side !== side) continue;
      if (other.percent === percent) throw new TapeError("percentage", `${text} is there twice`);
      const isWider = percent > other.percent;
      if (isWider ? lots < other.lots : lots > other.lots) {
        throw new TapeError("depth", `of ${text} and ${other.text} the wider band has less`);
      }
      if (isWider ? notional < other.notional : notional > other.notional) {
        throw new TapeError("notional", `of ${text} and ${other.text} the wider band has less`);
      }
    }
    if (this.#bands.length >= BANDS_MAX) {
      throw new TapeError("percentage", `more than ${BANDS_MAX} rows at one time`);
    }
  }

  #levelsOf(bands: readonly Band[], side: Side): LevelChange[] {
    const own = bands.filter((band) => band.side === side);
    own.sort((one, other) => one.percent - other.percent);
    const levels = new Map<number, number>();
    let inner: Pick<Band, "lots" | "notional"> = { lots: 0, notional: 0n };
    for (const band of own) {
      const lots = band.lots - inner.lots;
      const ticks = this.#averageTicks(side, lots, band.notional - inner.notional);
      if (lots > 0 && ticks > 0) levels.set(ticks, (levels.get(ticks) ?? 0) + lots);
      inner = band;
    }
    return [...levels].map(([ticks, lots]) => ({ side, ticks, lots }));
  }

  /** Rounded away from the mid price. */
  #averageTicks(side: Side, lots: number, notional: bigint): number {
    const { tick, step } = this.#grid;
    const scale = 10n ** BigInt(tick.scale + step.scale);
    const unit = 10n ** BigInt(NOTIONAL_SCALE) * BigInt(tick.step) * BigInt(step.step);
    const divisor = unit * BigInt(lots);
    if (divisor === 0n) return 0;
    const value = notional * scale;
    return Number(side === "BUY" ? value / divisor : (value + divisor - 1n) / divisor);
  }
}

function bandNamed(text: string): Pick<Band, "side" | "percent" | "text"> {
  const [, sign, digits = ""] = PERCENTAGE.exec(text) ?? [];
  const percent = Number(digits);
  if (sign === undefined || percent === 0 || percent >= 100) {
    throw new TapeError("percentage", `"${text}" is not a distance from the mid price`);
  }
  return { side: sign === "-" ? "BUY" : "SELL", percent, text };
}
