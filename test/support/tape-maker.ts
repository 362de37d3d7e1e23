/**
 * Makes LOBSTER recordings from a seed: a market that adds, cancels and executes in price-time
 * priority, with hidden executions; and the book after each row, computed from the written rows
 * alone, in the plainest way.
 */
import type { Random } from "./random.ts";

export interface TapeRow {
  readonly time: string;
  readonly type: number;
  readonly id: string;
  readonly size: number;
  /** In cents; a recording has ten-thousandths. */
  readonly cents: number;
  readonly direction: 1 | -1;
}

export const LEVELS = 5;
const MID = 10_000;

export function rowText({ time, type, id, size, cents, direction }: TapeRow): string {
  return [time, type, id, size, cents * 100, direction].join(",");
}

interface Resting {
  readonly id: string;
  readonly direction: 1 | -1;
  readonly cents: number;
  size: number;
}

/** The book as a list of orders, in the order of their arrival. */
export class NaiveTapeBook {
  readonly orders: Resting[] = [];

  apply({ type, id, size, cents, direction }: TapeRow): void {
    if (type === 1) this.orders.push({ id, direction, cents, size });
    if (type < 2 || type > 4) return;
    const order = this.orders.find((one) => one.id === id);
    if (order === undefined) throw new Error(`row about ${id}, which is not there`);
    order.size -= size;
    if (order.size === 0) this.orders.splice(this.orders.indexOf(order), 1);
  }

  /** Best first. */
  side(direction: 1 | -1): readonly (readonly [cents: number, size: number])[] {
    const totals = new Map<number, number>();
    for (const order of this.orders) {
      if (order.direction !== direction) continue;
      totals.set(order.cents, (totals.get(order.cents) ?? 0) + order.size);
    }
    return [...totals].sort(([one], [other]) => (other - one) * direction);
  }

  /** First in the queue at the best price of a side. */
  first(direction: 1 | -1): Resting | null {
    const [best] = this.side(direction)[0] ?? [];
    const isBest = (one: Resting) => one.direction === direction && one.cents === best;
    return this.orders.find(isBest) ?? null;
  }

  /** A row of an order book file. */
  rowText(levels = LEVELS): string {
    const asks = this.side(-1);
    const bids = this.side(1);
    const cells: (string | number)[] = [];
    for (let i = 0; i < levels; i++) {
      const [ask, askSize] = asks[i] ?? ["9999999999", 0];
      const [bid, bidSize] = bids[i] ?? ["-9999999999", 0];
      cells.push(typeof ask === "number" ? ask * 100 : ask, askSize);
      cells.push(typeof bid === "number" ? bid * 100 : bid, bidSize);
    }
    return cells.join(",");
  }
}

/** Rows of a market; what is written is also what the next row depends on. */
export function makeTape(random: Random, count: number): TapeRow[] {
  const book = new NaiveTapeBook();
  const rows: TapeRow[] = [];
  let micros = 34_200_000_000;
  for (let n = 1; rows.length < count; n++) {
    micros += random.integer(0, 40_000);
    const time = (micros / 1_000_000).toFixed(6);
    const row = { ...nextRow(random, book, n), time };
    book.apply(row);
    rows.push(row);
  }
  return rows;
}

function nextRow(random: Random, book: NaiveTapeBook, n: number): Omit<TapeRow, "time"> {
  const direction = random.pick([1, -1] as const);
  const best = book.first(direction);
  if (best !== null && random.chance(0.25)) {
    const size = random.chance(0.5) ? best.size : random.integer(1, best.size);
    return { ...best, type: 4, size };
  }
  if (book.orders.length > 20 && random.chance(0.4)) {
    const order = random.pick(book.orders);
    const size = random.chance(0.7) ? order.size : random.integer(1, order.size);
    return { ...order, type: size === order.size ? 3 : 2, size };
  }
  const opposite = book.first(direction === 1 ? -1 : 1)?.cents ?? MID + direction;
  const away = random.chance(0.7) ? random.integer(1, 4) : random.integer(5, 60);
  const spread = best === null ? 0 : Math.abs(opposite - best.cents);
  if (spread > 1 && random.chance(0.1)) {
    const cents = opposite - direction * random.integer(1, spread - 1);
    return { type: 5, id: "0", size: random.integer(1, 50), cents, direction };
  }
  const cents = Math.max(1, opposite - direction * away);
  return { type: 1, id: String(1_000 + n), size: random.integer(1, 100), cents, direction };
}
