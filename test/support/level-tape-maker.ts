/**
 * Makes recordings by levels from a seed, as tardis writes them: the rows of a book's levels, and
 * the trades of the same market. And what can be said of them from the written rows alone, in the
 * plainest way: the book, and the queue in which an order of a user waits.
 */
import type { Random } from "./random.ts";
import { makeTape, NaiveTapeBook, type TapeRow } from "./tape-maker.ts";

export interface LevelChange {
  readonly direction: 1 | -1;
  readonly cents: number;
  /** 0 is none. */
  readonly size: number;
}

/** What has one time of arrival; a trade's direction is the taker's. */
export type LevelEvent =
  | { readonly kind: "book"; readonly isSnapshot: boolean; readonly changes: LevelChange[] }
  | { readonly kind: "trade"; readonly direction: 1 | -1; readonly cents: number; size: number };

export interface LevelTape {
  /** In the order in which they are replayed. */
  readonly events: readonly LevelEvent[];
  readonly bookLines: readonly string[];
  readonly tradeLines: readonly string[];
}

const BOOK_HEADING = "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount";
const TRADE_HEADING = "exchange,symbol,timestamp,local_timestamp,id,side,price,amount";
const START_US = 1_700_000_000_000_000;

/**
 * A snapshot of all levels, or those that changed since the one before; also those that were traded
 * and are as large again.
 */
function changesOf(
  now: NaiveTapeBook,
  before: ReadonlyMap<string, number>,
  traded: ReadonlySet<string>,
  isSnapshot: boolean,
): LevelChange[] {
  const changes: LevelChange[] = [];
  for (const direction of [1, -1] as const) {
    const sizes = new Map(now.side(direction));
    for (const [cents, size] of sizes) {
      const level = `${direction}:${cents}`;
      const isChanged = before.get(level) !== size || traded.has(level);
      if (isSnapshot || isChanged) changes.push({ direction, cents, size });
    }
    if (isSnapshot) continue;
    for (const level of before.keys()) {
      const [side, cents = 0] = level.split(":").map(Number);
      if (side === direction && !sizes.has(cents)) changes.push({ direction, cents, size: 0 });
    }
  }
  return changes;
}

/**
 * Some rows of a market of orders are one message. A trade comes before the message that has it;
 * with `late` some come after it. Now and then messages are missing, and a snapshot follows.
 */
export function makeLevelTape(random: Random, count: number, late: boolean): LevelTape {
  const rows = makeTape(random, count);
  const book = new NaiveTapeBook();
  const events: LevelEvent[] = [];
  let sent = new Map<string, number>();
  let isNext = true;
  let wasSnapshot = false;
  for (let next = 0; next < rows.length; ) {
    const size = random.integer(1, 6);
    const part = rows.slice(next, next + size);
    next += size;
    for (const row of part) book.apply(row);
    // Two snapshots in a row would be one.
    const isLost = !isNext && !wasSnapshot && random.chance(0.03);
    if (isLost) {
      isNext = true;
      continue;
    }
    const trades = part.flatMap(tradeOf);
    const traded = part.filter(({ type }) => type === 4);
    const levels = new Set(traded.map(({ direction, cents }) => `${direction}:${cents}`));
    const changes = changesOf(book, sent, levels, isNext);
    const message: LevelEvent = { kind: "book", isSnapshot: isNext, changes };
    if (late && random.chance(0.2)) events.push(message, ...trades);
    else events.push(...trades, message);
    if (changes.length === 0) events.splice(events.indexOf(message), 1);
    else {
      sent = sizesOf(book);
      wasSnapshot = isNext;
      isNext = false;
    }
  }
  return { events, ...linesOf(random, events) };
}

function sizesOf(book: NaiveTapeBook): Map<string, number> {
  return new Map(
    ([1, -1] as const).flatMap((side) =>
      book.side(side).map(([cents, size]) => [`${side}:${cents}`, size] as const),
    ),
  );
}

function tradeOf({ type, direction, cents, size }: TapeRow): LevelEvent[] {
  if (type !== 4 && type !== 5) return [];
  return [{ kind: "trade", direction: direction === 1 ? -1 : 1, cents, size }];
}

function linesOf(random: Random, events: readonly LevelEvent[]) {
  const bookLines = [BOOK_HEADING];
  const tradeLines = [TRADE_HEADING];
  let us = START_US;
  let wasTrade = false;
  for (const event of events) {
    // A message may have the time of the trade before it; whatever follows a message is later.
    us += wasTrade && random.chance(0.3) ? 0 : random.integer(1_000, 90_000);
    wasTrade = event.kind === "trade";
    const times = `x,AAPLUSDT,${us},${us + 700}`;
    if (event.kind === "trade") {
      const side = event.direction === 1 ? "buy" : "sell";
      tradeLines.push(`${times},${tradeLines.length},${side},${priceOf(event)},${event.size}`);
      continue;
    }
    for (const change of event.changes) {
      const side = change.direction === 1 ? "bid" : "ask";
      bookLines.push(`${times},${event.isSnapshot},${side},${priceOf(change)},${change.size}`);
    }
  }
  return { bookLines, tradeLines };
}

function priceOf({ cents }: { readonly cents: number }): string {
  return (cents / 100).toFixed(2);
}

/** The book as anybody keeps it who reads the rows: the last amount of each level. */
export class NaiveLevelBook {
  readonly levels = new Map<string, number>();

  apply({ isSnapshot, changes }: Extract<LevelEvent, { readonly kind: "book" }>): void {
    if (isSnapshot) this.levels.clear();
    for (const { direction, cents, size } of changes) {
      if (size === 0) this.levels.delete(`${direction}:${cents}`);
      else this.levels.set(`${direction}:${cents}`, size);
    }
  }

  /** Prices and sizes, best first. */
  side(direction: 1 | -1): (readonly [price: string, size: string])[] {
    return [...this.levels]
      .map(([level, size]) => [...level.split(":").map(Number), size])
      .filter(([side]) => side === direction)
      .sort(([, one = 0], [, other = 0]) => (other - one) * direction)
      .map(([, cents = 0, size]) => [plain(cents), String(size)] as const);
  }
}

function plain(cents: number): string {
  return String(cents / 100);
}

export interface Tester {
  readonly direction: 1 | -1;
  readonly cents: number;
  readonly size: number;
}

/** A user's order in a recorded book: how much is ahead of it and behind it, and what it fills. */
export class NaiveQueue {
  readonly #rule: string;
  readonly #tester: Tester;
  readonly #book = new NaiveLevelBook();
  #ahead = 0;
  #behind = 0;
  #left = 0;

  constructor(rule: string, tester: Tester) {
    this.#rule = rule;
    this.#tester = tester;
  }

  place(): void {
    this.#ahead = this.#book.levels.get(this.#own) ?? 0;
    this.#behind = 0;
    this.#left = this.#tester.size;
  }

  /** What the order fills by it. */
  apply(event: LevelEvent): number {
    if (event.kind === "trade") return this.#trade(event);
    const before = new Map(this.#book.levels);
    this.#book.apply(event);
    this.#move(before.get(this.#own) ?? 0, this.#book.levels.get(this.#own) ?? 0);
    let filled = 0;
    for (const [level, size] of this.#book.levels) {
      const [side, cents = 0] = level.split(":").map(Number);
      const grown = size - (before.get(level) ?? 0);
      if (side !== this.#tester.direction && this.#reaches(cents) && grown > 0) {
        filled += this.#fill(grown);
      }
    }
    return filled;
  }

  get #own(): string {
    return `${this.#tester.direction}:${this.#tester.cents}`;
  }

  /** Whether a taker at this price reaches the order. */
  #reaches(cents: number): boolean {
    return (this.#tester.cents - cents) * this.#tester.direction >= 0;
  }

  #move(before: number, now: number): void {
    const lost = before - now;
    if (lost < 0) this.#behind -= lost;
    if (lost <= 0) return;
    const fromAhead =
      this.#rule === "pessimistic"
        ? Math.max(0, lost - this.#behind)
        : Math.floor((lost * this.#ahead) / before);
    this.#ahead -= fromAhead;
    this.#behind -= lost - fromAhead;
  }

  #trade({ direction, cents, size }: Extract<LevelEvent, { readonly kind: "trade" }>): number {
    const level = `${-direction}:${cents}`;
    const shown = this.#book.levels.get(level) ?? 0;
    const taken = Math.min(shown, size);
    if (taken === shown) this.#book.levels.delete(level);
    else this.#book.levels.set(level, shown - taken);
    if (direction === this.#tester.direction || !this.#reaches(cents)) return 0;
    if (cents !== this.#tester.cents) return this.#fill(size);
    const fromAhead = Math.min(this.#ahead, size);
    this.#ahead -= fromAhead;
    this.#behind -= Math.min(this.#behind, size - fromAhead);
    return this.#fill(size - fromAhead);
  }

  #fill(size: number): number {
    const filled = Math.min(this.#left, size);
    this.#left -= filled;
    return filled;
  }
}
