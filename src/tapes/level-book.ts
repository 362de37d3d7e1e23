/**
 * A market that is recorded by levels, as orders. Each level is a queue of recorded orders, among
 * which the users' orders rest: what a level gains is one order at its end, trades take from its
 * front, and what it loses without a trade leaves it by a rule. So a user's place in the queue is
 * that of an order in the exchange's book, and the replay need not know of it.
 */
import type { MarketGrid } from "./market-grid.ts";
import { addNeeds, type Side, type TapeMessage, type TapeNeeds } from "./tape.ts";
import { TapeError } from "./tape-error.ts";

/**
 * Who leaves when a level loses what no trade explains. `pessimistic`: whoever came last, so that
 * nobody behind whom there is enough moves forward. `proportional`: of d lots off a level of n,
 * whoever has a lots of the recording ahead has floor(d * a / n) fewer.
 */
export const QUEUE_RULES = ["pessimistic", "proportional"] as const;
export type QueueRule = (typeof QUEUE_RULES)[number];

/** A level has so many lots now; 0 is none any more. */
export interface LevelChange {
  readonly side: Side;
  readonly ticks: number;
  readonly lots: number;
}

interface Order {
  readonly id: string;
  lots: number;
}

interface Level {
  lots: number;
  readonly queue: Order[];
}

/** A level with more joins its last order, which goes to the end of the queue. */
const QUEUE_MAX = 256;
/** More than any recording of a market has at once: memory is bounded. */
const LEVELS_MAX = 500_000;
const SIDES = ["BUY", "SELL"] as const;

export class LevelBook {
  readonly needs: TapeNeeds = { baseLots: 0n, quoteTickLots: 0n };
  readonly #grid: MarketGrid;
  readonly #rule: QueueRule;
  readonly #levels = { BUY: new Map<number, Level>(), SELL: new Map<number, Level>() };
  /** Prices of the levels, the best one last. */
  readonly #prices = { BUY: [] as number[], SELL: [] as number[] };
  #orders = 0;
  #crossed = 0;
  #messages: TapeMessage[] = [];

  constructor(grid: MarketGrid, rule: QueueRule) {
    this.#grid = grid;
    this.#rule = rule;
  }

  /** Levels that were removed because a later one of the other side reached their price. */
  get crossedLevels(): number {
    return this.#crossed;
  }

  /** All levels as they are from here on: others are removed. */
  replace(changes: readonly LevelChange[]): TapeMessage[] {
    const named = { BUY: new Set<number>(), SELL: new Set<number>() };
    for (const { side, ticks } of changes) named[side].add(ticks);
    const gone = SIDES.flatMap((side) =>
      this.#prices[side]
        .filter((ticks) => !named[side].has(ticks))
        .map((ticks): LevelChange => ({ side, ticks, lots: 0 })),
    );
    return this.apply([...gone, ...changes]);
  }

  /** Changes of one moment, so that what shrinks makes room for what grows. */
  apply(changes: readonly LevelChange[]): TapeMessage[] {
    const messages = this.#begin();
    const last = { BUY: new Map<number, number>(), SELL: new Map<number, number>() };
    for (const { side, ticks, lots } of changes) last[side].set(ticks, lots);
    for (const side of SIDES) {
      for (const [ticks, lots] of last[side]) {
        const level = this.#levels[side].get(ticks);
        if (level !== undefined && lots < level.lots) this.#shrink(side, ticks, level, lots);
      }
    }
    for (const side of SIDES) {
      for (const [ticks, lots] of last[side]) {
        const now = this.#levels[side].get(ticks)?.lots ?? 0;
        if (lots > now) this.#grow(side, ticks, lots - now);
      }
    }
    return messages;
  }

  /** A trade, of which the side is the taker's; what the level does not have was not shown. */
  trade(taker: Side, ticks: number, lots: number): TapeMessage[] {
    const messages = this.#begin();
    addNeeds(this.needs, ticks, lots);
    const side = taker === "BUY" ? "SELL" : "BUY";
    const level = this.#levels[side].get(ticks);
    let left = lots;
    while (level !== undefined && left > 0 && level.lots > 0) {
      const [first] = level.queue as [Order];
      const taken = Math.min(left, first.lots);
      const terms = { side, ...this.#terms(ticks, taken) } as const;
      messages.push({ kind: "execute", id: first.id, ...terms });
      left -= taken;
      level.lots -= taken;
      first.lots -= taken;
      if (first.lots === 0) level.queue.shift();
    }
    if (level?.lots === 0) this.#delete(side, ticks);
    if (left > 0) messages.push({ kind: "hidden", side: taker, ...this.#terms(ticks, left) });
    return messages;
  }

  /** The taker's side of a trade, from the book; null between bids and asks. */
  sideOf(ticks: number): Side | null {
    const [ask, bid] = [this.#prices.SELL.at(-1), this.#prices.BUY.at(-1)];
    if (ask !== undefined && ticks >= ask) return "BUY";
    return bid !== undefined && ticks <= bid ? "SELL" : null;
  }

  #begin(): TapeMessage[] {
    this.#messages = [];
    return this.#messages;
  }

  #grow(side: Side, ticks: number, lots: number): void {
    let level = this.#levels[side].get(ticks);
    if (level === undefined) {
      this.#removeCrossed(side, ticks);
      level = this.#insert(side, ticks);
    }
    const last = level.queue.length >= QUEUE_MAX ? level.queue.pop() : undefined;
    if (last !== undefined) this.#messages.push({ kind: "remove", id: last.id });
    const added = lots + (last?.lots ?? 0);
    this.#orders++;
    const id = String(this.#orders);
    level.queue.push({ id, lots: added });
    level.lots += lots;
    addNeeds(this.needs, ticks, added);
    this.#messages.push({ kind: "add", id, side, ...this.#terms(ticks, added) });
  }

  #shrink(side: Side, ticks: number, level: Level, toLots: number): void {
    if (toLots === 0) {
      for (const { id } of level.queue) this.#messages.push({ kind: "remove", id });
      this.#delete(side, ticks);
      return;
    }
    const lost = level.lots - toLots;
    const cuts =
      this.#rule === "pessimistic" ? cutsFromEnd(level, lost) : cutsInProportion(level, lost);
    for (const [i, lots] of cuts.entries()) {
      const order = level.queue[i] as Order;
      order.lots -= lots;
      if (order.lots === 0) this.#messages.push({ kind: "remove", id: order.id });
      else if (lots > 0) {
        const quantity = this.#grid.quantityText(lots);
        this.#messages.push({ kind: "reduce", id: order.id, quantity });
      }
    }
    const left = level.queue.filter(({ lots }) => lots > 0);
    level.queue.splice(0, level.queue.length, ...left);
    level.lots = toLots;
  }

  /** The later of two levels that cannot both be is the one that is. */
  #removeCrossed(side: Side, ticks: number): void {
    const other = side === "BUY" ? "SELL" : "BUY";
    for (;;) {
      const best = this.#prices[other].at(-1);
      if (best === undefined || (side === "BUY" ? best > ticks : best < ticks)) return;
      const level = this.#levels[other].get(best) as Level;
      this.#shrink(other, best, level, 0);
      this.#crossed++;
    }
  }

  #insert(side: Side, ticks: number): Level {
    if (this.#levels[side].size >= LEVELS_MAX) {
      throw new TapeError("price", `more than ${LEVELS_MAX} levels of a side at once`);
    }
    const level: Level = { lots: 0, queue: [] };
    this.#levels[side].set(ticks, level);
    this.#prices[side].splice(this.#placeOf(side, ticks), 0, ticks);
    return level;
  }

  #delete(side: Side, ticks: number): void {
    this.#levels[side].delete(ticks);
    this.#prices[side].splice(this.#placeOf(side, ticks), 1);
  }

  /** Where a price is among those of its side, or belongs. */
  #placeOf(side: Side, ticks: number): number {
    const prices = this.#prices[side];
    let [from, to] = [0, prices.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const price = prices[middle] as number;
      if (side === "BUY" ? price < ticks : price > ticks) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #terms(ticks: number, lots: number) {
    return { price: this.#grid.priceText(ticks), quantity: this.#grid.quantityText(lots) };
  }
}

function cutsFromEnd({ queue }: Level, lost: number): number[] {
  let left = lost;
  const cuts = queue.map(() => 0);
  for (let i = queue.length - 1; left > 0; i--) {
    const cut = Math.min((queue[i] as Order).lots, left);
    cuts[i] = cut;
    left -= cut;
  }
  return cuts;
}

/** Of each order the difference of what is lost up to it and what is lost before it. */
function cutsInProportion({ queue, lots: all }: Level, lost: number): number[] {
  let ahead = 0;
  let before = 0;
  return queue.map(({ lots }) => {
    ahead += lots;
    const upTo = shareOf(lost, ahead, all);
    const cut = upTo - before;
    before = upTo;
    return cut;
  });
}

/** floor(lost * ahead / all), exactly. */
function shareOf(lost: number, ahead: number, all: number): number {
  const product = lost * ahead;
  if (Number.isSafeInteger(product)) return Math.floor(product / all);
  return Number((BigInt(lost) * BigInt(ahead)) / BigInt(all));
}
