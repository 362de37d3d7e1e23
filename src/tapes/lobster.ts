/**
 * LOBSTER: a message file (time, type, order id, size, price, direction) and, where it is given,
 * its order book file. Order ids are kept, so queue positions are the recorded ones. The message
 * file does not say what was in the book before it, nor what happened beyond the recorded levels:
 * that comes from the order book file as one order per price, and messages about orders that are
 * not known act on it.
 */
import type { MarketGrid } from "./market-grid.ts";
import {
  addNeeds,
  type TapeMessage,
  type TapeNeeds,
  type TapeReader,
  type TapeStep,
} from "./tape.ts";
import { TapeError } from "./tape-error.ts";

const COLUMNS = 6;
const DAY_S = 86_400;
const TYPE_MAX = 7;
/** Prices are in ten-thousandths. */
const PRICE_SCALE = 4;
const TIME = /^\d{1,6}(\.\d{1,12})?$/;
/** More than any recording of a market has open at once: memory is bounded. */
const OPEN_ORDERS_MAX = 2_000_000;

const ADD = 1;
const DELETE = 3;
const EXECUTE = 4;
const HIDDEN = 5;
const CROSS = 6;

interface OpenOrder {
  /** In the exchange: a recording may use an id again. */
  readonly name: string;
  readonly side: "BUY" | "SELL";
  readonly ticks: number;
  openLots: number;
}

interface Level {
  lots: number;
  readonly ids: Set<string>;
  /** What the order book file shows beyond known orders. */
  older: OpenOrder | null;
}

/** Levels of one side in a row of the order book file, best first: ticks and lots. */
export type SideRow = readonly (readonly [ticks: number, lots: number])[];

export interface BookRow {
  readonly BUY: SideRow;
  readonly SELL: SideRow;
}

interface Message {
  readonly timeMs: number;
  readonly type: number;
  readonly id: string;
  readonly lots: number;
  readonly ticks: number;
  readonly side: "BUY" | "SELL";
}

export class LobsterReader implements TapeReader {
  readonly needs: TapeNeeds = { baseLots: 0n, quoteTickLots: 0n };
  readonly #grid: MarketGrid;
  readonly #orders = new Map<string, OpenOrder>();
  readonly #levels = { BUY: new Map<number, Level>(), SELL: new Map<number, Level>() };
  /** The worst price that the last row of the order book file showed. */
  readonly #seen = { BUY: Number.POSITIVE_INFINITY, SELL: 0 };
  #lastTime = "";
  #lastS = 0;
  #names = 0;
  #messages: TapeMessage[] = [];

  constructor(grid: MarketGrid) {
    this.#grid = grid;
  }

  read(text: string, line: number, steps: TapeStep[]): void {
    this.#take(this.#parse(text), line, steps, null);
  }

  /** With the row of the order book file, which is of the book after the message. */
  readWithBook(text: string, line: number, steps: TapeStep[], book: BookRow): void {
    const message = this.#parse(text);
    if (this.#names === 0 && this.#orders.size === 0) {
      const timeMs = message.timeMs;
      this.#messages = [];
      this.#revealAll(beforeFirst(message, book));
      steps.push({ timeMs, messages: this.#messages, isUnknown: false, line: 0 });
    }
    this.#take(message, line, steps, book);
  }

  #take(message: Message, line: number, steps: TapeStep[], book: BookRow | null): void {
    this.#messages = [];
    const isKnown = this.#apply(message);
    if (book !== null) this.#revealAll(book);
    const { timeMs } = message;
    steps.push({ timeMs, messages: this.#messages, isUnknown: !isKnown, line });
  }

  #parse(text: string): Message {
    const columns = text.split(",");
    if (columns.length !== COLUMNS) {
      const found = `${columns.length} found`;
      throw new TapeError("columns", `${COLUMNS} expected (LOBSTER messages), ${found}`);
    }
    const [time = "", type = "", id = "", size = "", price = "", direction = ""] = columns;
    const timeMs = this.#readTime(time);
    if (!/^[1-7]$/.test(type)) throw new TapeError("type", `"${type}" is not 1 to ${TYPE_MAX}`);
    const kind = Number(type);
    if (kind > CROSS) return { timeMs, type: kind, id, lots: 0, ticks: 0, side: "BUY" };
    const hasId = kind < HIDDEN;
    if (hasId ? !/^\d{1,30}$/.test(id) : !/^-?\d{1,30}$/.test(id)) {
      throw new TapeError("orderId", `"${id}" is not an order id`);
    }
    if (!/^\d{1,15}$/.test(size)) throw new TapeError("size", `"${size}" is not a whole number`);
    const lots = this.#grid.quantity(size, "size");
    const ticks = this.#grid.price(lobsterPrice(price), "price");
    if (direction !== "1" && direction !== "-1") {
      throw new TapeError("direction", `"${direction}" is neither 1 nor -1`);
    }
    return { timeMs, type: kind, id, lots, ticks, side: direction === "1" ? "BUY" : "SELL" };
  }

  #readTime(time: string): number {
    const seconds = TIME.test(time) ? Number(time) : Number.NaN;
    if (!(seconds < DAY_S)) {
      throw new TapeError("time", `"${time}" is not a time in seconds after midnight`);
    }
    if (seconds < this.#lastS) {
      throw new TapeError("time", `${time} is out of order: the row before has ${this.#lastTime}`);
    }
    this.#lastTime = time;
    this.#lastS = seconds;
    return Math.floor(seconds * 1_000);
  }

  /** False for a message about an order that is not known. */
  #apply(message: Message): boolean {
    const { type, id, lots, ticks, side } = message;
    if (type === ADD) {
      this.#add(id, side, ticks, lots);
      return true;
    }
    if (type === HIDDEN || type === CROSS) {
      const taker = side === "BUY" ? "SELL" : "BUY";
      addNeeds(this.needs, ticks, lots);
      this.#messages.push({ kind: "hidden", side: taker, ...this.#terms(ticks, lots) });
      return true;
    }
    if (type > CROSS) return true;
    const known = this.#orders.get(id);
    if (known === undefined) return this.#applyToOlder(message);
    this.#checkOrder(known, message);
    this.#lessen(known, lots, type === EXECUTE);
    if (known.openLots === 0) this.#orders.delete(id);
    return true;
  }

  #checkOrder({ side, ticks, openLots }: OpenOrder, message: Message): void {
    const { id, lots, type } = message;
    if (message.side !== side) throw new TapeError("direction", `order ${id} is on the other side`);
    if (message.ticks !== ticks) {
      throw new TapeError("price", `order ${id} was added at ${this.#grid.priceText(ticks)}`);
    }
    if (lots > openLots || (type === DELETE && lots !== openLots)) {
      const left = this.#grid.quantityText(openLots);
      throw new TapeError("size", `order ${id} has ${left} left: rows are missing before this one`);
    }
  }

  #add(id: string, side: "BUY" | "SELL", ticks: number, lots: number): void {
    if (this.#orders.has(id)) throw new TapeError("orderId", `order ${id} is open already`);
    if (this.#orders.size >= OPEN_ORDERS_MAX) {
      throw new TapeError("orderId", `more than ${OPEN_ORDERS_MAX} orders are open at once`);
    }
    const order = this.#place(`${id}.${this.#nextName()}`, side, ticks, lots);
    this.#orders.set(id, order);
    this.#level(side, ticks).ids.add(id);
  }

  #nextName(): number {
    this.#names++;
    return this.#names;
  }

  #place(name: string, side: "BUY" | "SELL", ticks: number, lots: number): OpenOrder {
    addNeeds(this.needs, ticks, lots);
    this.#messages.push({ kind: "add", id: name, side, ...this.#terms(ticks, lots) });
    this.#level(side, ticks).lots += lots;
    return { name, side, ticks, openLots: lots };
  }

  /** Executes or cancels a part of an order, or all of it. */
  #lessen(order: OpenOrder, lots: number, isExecuted: boolean): void {
    const { name, side, ticks } = order;
    order.openLots -= lots;
    if (isExecuted) {
      const terms = this.#terms(ticks, lots);
      this.#messages.push({ kind: "execute", id: name, side, ...terms });
    } else if (order.openLots === 0) {
      this.#messages.push({ kind: "remove", id: name });
    } else {
      const quantity = this.#grid.quantityText(lots);
      this.#messages.push({ kind: "reduce", id: name, quantity });
    }
    this.#lower(order, lots);
  }

  #lower({ side, ticks, openLots, name }: OpenOrder, lots: number): void {
    const level = this.#level(side, ticks);
    level.lots -= lots;
    if (level.older?.name === name && openLots === 0) level.older = null;
    if (openLots === 0) level.ids.delete(name.slice(0, name.indexOf(".")));
    if (level.lots === 0) this.#levels[side].delete(ticks);
  }

  #applyToOlder({ type, side, ticks, lots }: Message): boolean {
    const older = this.#levels[side].get(ticks)?.older ?? null;
    if (older === null || older.openLots < lots) return false;
    this.#lessen(older, lots, type === EXECUTE);
    return true;
  }

  #level(side: "BUY" | "SELL", ticks: number): Level {
    const levels = this.#levels[side];
    let level = levels.get(ticks);
    if (level === undefined) {
      level = { lots: 0, ids: new Set(), older: null };
      levels.set(ticks, level);
    }
    return level;
  }

  #terms(ticks: number, lots: number) {
    return { price: this.#grid.priceText(ticks), quantity: this.#grid.quantityText(lots) };
  }

  #revealAll(book: BookRow): void {
    for (const side of ["BUY", "SELL"] as const) {
      const worst = book[side].at(-1)?.[0];
      if (worst === undefined) continue;
      for (const [ticks, lots] of book[side]) {
        const isBeyond = side === "BUY" ? ticks < this.#seen.BUY : ticks > this.#seen.SELL;
        if (isBeyond) this.#reveal(side, ticks, lots);
      }
      this.#seen[side] = worst;
    }
  }

  /**
   * A price comes into view. Where it has another quantity than the orders that are known, what
   * became of them is not recorded: one order takes their place.
   */
  #reveal(side: "BUY" | "SELL", ticks: number, lots: number): void {
    const level = this.#level(side, ticks);
    if (level.lots === lots) return;
    if (level.lots > lots) {
      if (level.older !== null) this.#lessen(level.older, level.older.openLots, false);
      for (const id of [...level.ids]) {
        const order = this.#orders.get(id);
        this.#orders.delete(id);
        if (order !== undefined) this.#lessen(order, order.openLots, false);
      }
    }
    const now = this.#level(side, ticks);
    const missing = lots - now.lots;
    if (missing === 0) return;
    if (now.older !== null) {
      const { older } = now;
      const all = older.openLots + missing;
      this.#lessen(older, older.openLots, false);
      this.#level(side, ticks).older = this.#place(this.#olderName(), side, ticks, all);
      return;
    }
    this.#level(side, ticks).older = this.#place(this.#olderName(), side, ticks, missing);
  }

  #olderName(): string {
    return `older.${this.#nextName()}`;
  }
}

/** The book before the first message, whose effect is taken back. */
function beforeFirst({ type, side, ticks, lots }: Message, book: BookRow): BookRow {
  if (type > EXECUTE) return book;
  const change = type === ADD ? -lots : lots;
  const levels = new Map(book[side]);
  const before = (levels.get(ticks) ?? 0) + change;
  if (before > 0) levels.set(ticks, before);
  else levels.delete(ticks);
  const better = side === "BUY" ? -1 : 1;
  const sorted = [...levels].sort(([one], [other]) => (one - other) * better);
  return { ...book, [side]: sorted };
}

/** In ten-thousandths of the currency, as decimal text. */
function lobsterPrice(text: string): string {
  if (!/^\d{1,15}$/.test(text)) throw new TapeError("price", `"${text}" is not a whole number`);
  const digits = text.padStart(PRICE_SCALE + 1, "0");
  const point = digits.length - PRICE_SCALE;
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}

const UNOCCUPIED = /^-?9999999999$/;

/** A row of an order book file: ask price, ask size, bid price, bid size, level by level. */
export function parseBookRow(text: string, grid: MarketGrid): BookRow {
  const columns = text.split(",");
  if (columns.length < 4 || columns.length % 4 !== 0) {
    throw new TapeError(
      "columns",
      `a multiple of 4 expected (order book), ${columns.length} found`,
    );
  }
  const book = { BUY: [] as [number, number][], SELL: [] as [number, number][] };
  for (let i = 0; i < columns.length; i += 2) {
    const side = i % 4 === 0 ? "SELL" : "BUY";
    const [price = "", size = ""] = columns.slice(i, i + 2);
    if (UNOCCUPIED.test(price)) continue;
    const name = `${side === "SELL" ? "ask" : "bid"}${Math.floor(i / 4) + 1}`;
    const ticks = grid.price(lobsterPrice(price), `${name} price`);
    book[side].push([ticks, grid.quantity(size, `${name} size`)]);
  }
  return book;
}
