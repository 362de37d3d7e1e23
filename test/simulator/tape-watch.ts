/** A client that listens to the trades, the candles and the ticker of a market. */
import { naiveDay } from "../models/naive-views.ts";
import type { Row } from "../support/account-histories.ts";
import { text } from "../support/exact.ts";
import type { StreamMessage } from "../support/stream-client.ts";
import { Breach, hold } from "./breach.ts";
import type { Product } from "./orders.ts";
import { passTime } from "./pass-time.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { SimulatedSocket } from "./socket.ts";
import {
  inWordsOfV3,
  type StreamVersion,
  streamPath,
  subscribe,
  unsubscribe,
} from "./stream-versions.ts";
import { candleOf, type TapeTrade } from "./trade-tape.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Candles come less often than anything else. */
const CANDLES_WITHIN_MS = 12_000;
const PAUSE_MS = 400;

export class TapeWatch {
  readonly product: Product;
  readonly #exchange: SimulatedExchange;
  readonly #symbol: string;
  readonly #version: StreamVersion;
  #socket: SimulatedSocket | null = null;
  /** The ids that were told. */
  #trades = new Set<string>();
  /** Since it came, which has it at once. */
  /** As it was told last. */
  #ticker: Row | null = null;
  /** The newest candle of each kind of price. */
  #candles = new Map<unknown, Row>();
  /** As each minute was told last, and those that another minute has followed. */
  #minutes = new Map<number, Row>();
  #closed: Row[] = [];
  #isAway = false;
  #failure: string | null = null;
  /** How many trades there had been at the last check on this connection. */
  #checked: number | null = null;

  constructor(
    exchange: SimulatedExchange,
    product: Product,
    symbol: string,
    version: StreamVersion,
  ) {
    this.#exchange = exchange;
    this.product = product;
    this.#symbol = symbol;
    this.#version = version;
  }

  get isConnected(): boolean {
    return this.#socket?.isOpen === true;
  }

  async connect(opened?: () => Promise<void>): Promise<void> {
    this.disconnect();
    this.#trades = new Set();
    this.#isAway = false;
    this.#beginAnew();
    const path = streamPath(this.#version, this.product, "public");
    const exchange = this.#exchange;
    const socket = await SimulatedSocket.open(exchange, path, {}, (said) => {
      exchange.trace(`${this.#symbol} ${this.product} tape`, said);
      const message = inWordsOfV3(this.#version, this.product, said);
      if (message !== null && socket === this.#socket) this.#take(message);
    });
    exchange.checkRunning();
    if (socket === null) throw new Breach("streams", `${path} refuses a reader`);
    this.#socket = socket;
    await opened?.();
    await subscribe(socket, this.#version, this.product, this.channels);
  }

  #beginAnew(): void {
    this.#ticker = null;
    this.#candles = new Map();
    this.#minutes = new Map();
    this.#closed = [];
    this.#checked = null;
  }

  get channels(): readonly string[] {
    const prices = this.product === "spot" ? ["LAST_PRICE"] : ["LAST_PRICE", "MARK_PRICE"];
    const candles = prices.map((price) => `${this.#symbol}@kline_1m_${price}`);
    return [`${this.#symbol}@trade`, `${this.#symbol}@ticker`, ...candles];
  }

  /** All of them, on the same connection, for as long as `away` takes: nothing is told. */
  async leave(_names: readonly string[], away: () => Promise<void>): Promise<void> {
    const socket = this.#socket;
    if (socket === null) return;
    const all = this.channels;
    await unsubscribe(socket, this.#version, this.product, all, (name) => {
      this.#isAway = name === all.at(-1);
    });
    this.#beginAnew();
    await away();
    await subscribe(socket, this.#version, this.product, all, () => {
      this.#isAway = false;
    });
  }

  disconnect(): void {
    this.#socket?.close();
    this.#socket = null;
  }

  #take({ d, e, p }: StreamMessage): void {
    const rows = d as readonly Row[];
    if (this.#isAway) this.#failure ??= `left, and told ${e} ${JSON.stringify(d)}`;
    if (e === "kline") {
      const newest = rows.at(-1);
      if (newest !== undefined) this.#candles.set(p, newest);
      if (p === "LAST_PRICE") this.#takeCandles(rows);
      return;
    }
    if (e === "ticker") {
      this.#ticker = rows.at(-1) ?? null;
      for (const row of rows) this.#observeTicker(row);
    }
    if (e !== "trade") return;
    for (const { T, m, p: price, q, t, v } of rows) {
      const id = String(t);
      if (this.#trades.has(id)) this.#failure ??= `trade ${id} twice`;
      const said = `${T} ${price} ${q} ${v} ${m}`;
      this.#trades.add(id);
      this.#observe(`trade ${id} ${said}`, (trades) => {
        const trade = trades.find((one) => one.id === id);
        return trade !== undefined && wordsOf(trade) === said;
      });
    }
  }

  #takeCandles(rows: readonly Row[]): void {
    const before = Math.max(...this.#minutes.keys());
    for (const row of rows) {
      this.#observeCandle(row);
      this.#minutes.set(Number(row.t), row);
    }
    const closed = this.#minutes.get(before);
    if (closed !== undefined && Number(rows.at(-1)?.t) > before) this.#closed.push(closed);
  }

  /** The day's numbers are those after some command. */
  #observeTicker(row: Row): void {
    this.#observe(`ticker ${JSON.stringify(row)}`, (trades) => {
      const nowMs = Number(row.C);
      const last = trades.at(-1);
      // Before the first one a contract has the price of its index.
      if (last === undefined) return row.n === 0;
      // Most moments differ in what is cheap to compare.
      const isYoung = Number(trades[0]?.timeMs) > nowMs - DAY_MS;
      if (text(last.price) !== row.c || (isYoung && trades.length !== row.n)) return false;
      const known = trades.map(({ price, quantity: base, timeMs: ms, value: quote }) => {
        return { ms, price, base, quote };
      });
      const day = naiveDay(known, last.price, nowMs);
      const due: Row = {
        ...{ p: day.priceChange, P: day.priceChangePercent, c: text(last.price), o: day.open },
        ...{ h: day.high, l: day.low, v: day.baseVolume, q: day.quoteVolume, n: day.trades },
        ...{ O: day.windowStartMs, C: nowMs },
        ...{ close: day.close, highTime: day.highMs, lowTime: day.lowMs },
      };
      // Version 3 leaves some of them out.
      return Object.keys(due).every((name) => row[name] === undefined || row[name] === due[name]);
    });
  }

  /** A candle holds the trades of its minute after some command. */
  #observeCandle({ c, h, l, n, o, q, Q, t, v, V }: Row): void {
    const openMs = Number(t);
    const said = JSON.stringify([t, o, h, l, c, v, q]);
    // Version 2 leaves these out.
    const more = n === undefined ? null : JSON.stringify([n, V, Q]);
    this.#observe(`candle ${said} ${more}`, (trades) => {
      const inside = trades.filter(({ timeMs }) => timeMs >= openMs && timeMs < openMs + MINUTE_MS);
      // A minute without a trade has the price of the last one.
      const before = trades.findLast(({ timeMs }) => timeMs < openMs);
      if (inside.length === 0) return v === "0" && text(before?.price ?? -1n) === c;
      const [at, open, high, low, close, base, , quote, count, V0, Q0] = candleOf(
        openMs,
        MINUTE_MS,
        inside,
      );
      const isSame = JSON.stringify([at, open, high, low, close, base, quote]) === said;
      return isSame && (more === null || JSON.stringify([count, V0, Q0]) === more);
    });
  }

  /** What a message says was so after some command, when there had been these trades. */
  #observe(what: string, wasSo: (trades: readonly TapeTrade[]) => boolean): void {
    const { linearity, story } = this.#exchange;
    const all = () => story.trades.of(this.product, this.#symbol);
    const turn = linearity.turn();
    linearity.observe({
      kind: "message",
      what: `${this.product} ${this.#symbol} ${this.#version} ${what}`,
      asked: turn,
      answered: turn,
      changes: () => [0, ...new Set(all().map(({ sequence }) => sequence))],
      fits: (sequence) => wasSo(all().filter((trade) => trade.sequence <= sequence)),
    });
  }

  /** Whether the ticker knows of so many trades, or of more that came meanwhile. */
  #isCurrent(all: readonly TapeTrade[]): boolean {
    if (this.#ticker === null) return false;
    const { C, c, n } = this.#ticker;
    const [first, last] = [all[0], all.at(-1)];
    if (first === undefined || last === undefined) return true;
    const isYoung = first.timeMs > Number(C) - DAY_MS;
    if (isYoung && Number(n) !== all.length) return Number(n) > all.length;
    return c === text(last.price);
  }

  /** What was told since the last check is what happened, all of it. */
  async check(): Promise<void> {
    if (!this.isConnected) return;
    const all = this.#exchange.story.trades.of(this.product, this.#symbol);
    const due = this.#checked === null ? [] : all.slice(this.#checked);
    const isThere = () => due.every(({ id }) => this.#trades.has(id));
    await this.#wait(async () => isThere());
    if (!this.isConnected) return;
    const name = `${this.product} ${this.#symbol} ${this.#version}`;
    hold(this.#failure === null, "trades are told once", () => `${name}: ${this.#failure}`);
    const missing = () => due.filter(({ id }) => !this.#trades.has(id)).map(({ id }) => id);
    hold(isThere(), "trades are told once", () => `${name}: ${missing()} are missing`);
    const isTold = await this.#wait(async () => this.#isCurrent(all));
    const ticker = () => `${name}: ${JSON.stringify(this.#ticker)} behind ${all.length} trades`;
    hold(isTold || !this.isConnected, "the last ticker has the last trade", ticker);
    const last = due.at(-1);
    if (last !== undefined) await this.#checkCandle(last, all, name);
    this.#checkClosed(all, name);
    if (this.product === "contract" && this.#checked !== null) await this.#checkMark(name);
    this.#checked = all.length;
  }

  async #wait(isDone: () => Promise<boolean>): Promise<boolean> {
    for (let waited = 0; waited < CANDLES_WITHIN_MS; waited += PAUSE_MS) {
      if (!this.isConnected || (await isDone())) return true;
      await passTime(this.#exchange, PAUSE_MS);
    }
    return await isDone();
  }

  /** The candle of the last trade. */
  async #checkCandle(last: TapeTrade, all: readonly TapeTrade[], name: string): Promise<void> {
    const openMs = last.timeMs - (last.timeMs % MINUTE_MS);
    const inside = all.filter(({ timeMs }) => timeMs >= openMs && timeMs < openMs + MINUTE_MS);
    const [t, o, h, l, c, v, , q] = candleOf(openMs, MINUTE_MS, inside);
    const due = JSON.stringify([t, o, h, l, c, v, q]);
    const said = () => {
      const row = this.#candles.get("LAST_PRICE") ?? {};
      return JSON.stringify([row.t, row.o, row.h, row.l, row.c, row.v, row.q]);
    };
    // A later one, of trades made meanwhile, is as good.
    const isThere = () => said() === due || Number(this.#candles.get("LAST_PRICE")?.t) > openMs;
    await this.#wait(async () => isThere());
    const isGone = !this.isConnected;
    hold(isGone || isThere(), "candles are told", () => `${name}: ${said()} instead of ${due}`);
  }

  /** Whoever is told of a later minute knows the one before as it ended. */
  #checkClosed(all: readonly TapeTrade[], name: string): void {
    for (const row of this.#closed.splice(0)) {
      const openMs = Number(row.t);
      const inside = all.filter(({ timeMs }) => timeMs >= openMs && timeMs < openMs + MINUTE_MS);
      if (inside.length === 0) continue;
      const [, o, h, l, c, v, , q] = candleOf(openMs, MINUTE_MS, inside);
      const due = JSON.stringify([o, h, l, c, v, q]);
      const said = JSON.stringify([row.o, row.h, row.l, row.c, row.v, row.q]);
      hold(said === due, "closed candles are told", () => `${name}: ${said} instead of ${due}`);
    }
  }

  /** The mark moves with time: once both are asked for, they are the same. */
  async #checkMark(name: string): Promise<void> {
    const query = { symbol: this.#symbol, interval: "1m", limit: 100 };
    let both = "";
    const isSame = async () => {
      const path = "/capi/v3/market/markPriceKlines";
      const rows = await this.#exchange.read<readonly unknown[][]>(null, path, query);
      const row = this.#candles.get("MARK_PRICE") ?? {};
      // A minute in which the mark does not move is no message.
      const moved = rows.findLastIndex((candle, index) => !isFlatAfter(rows[index - 1], candle));
      const [t, o, h, l, c] = rows[moved] ?? [];
      const due = JSON.stringify([t, o, h, l, c]);
      const said = JSON.stringify([row.t, row.o, row.h, row.l, row.c]);
      both = `${said} instead of ${due}`;
      return moved <= 0 || said === due || Number(row.t) > Number(t);
    };
    const isTold = await this.#wait(isSame);
    hold(isTold || !this.isConnected, "candles of the mark are told", () => `${name}: ${both}`);
  }
}

function isFlatAfter(before: readonly unknown[] | undefined, candle: readonly unknown[]): boolean {
  const [, open, high, low, close] = candle;
  return before?.[4] === open && open === high && high === low && low === close;
}

function wordsOf({ isTakerBuyer, price, quantity, timeMs, value }: TapeTrade): string {
  return `${timeMs} ${text(price)} ${text(quantity)} ${text(value)} ${!isTakerBuyer}`;
}
