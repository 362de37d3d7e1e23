/** Clients that only listen: to one account, and to one book. */

import {
  type AccountState,
  fillKey,
  type Product,
  type Row,
} from "../support/account-histories.ts";
import { AccountMirror } from "../support/account-mirror.ts";
import { exact } from "../support/exact.ts";
import { bookText, type DepthMessage, LocalBook } from "../support/local-book.ts";
import type { StreamMessage } from "../support/stream-client.ts";
import { handshakeHeaders } from "../support/stream-client.ts";
import { Breach, hold } from "./breach.ts";
import { momentAt } from "./order-timelines.ts";
import { hasEnded } from "./orders.ts";
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
import type { Trader } from "./trader.ts";

const CHANNELS: Readonly<Record<Product, readonly string[]>> = {
  spot: ["account", "orders", "fill"],
  contract: ["account", "orders", "fill", "positions"],
};

/** Simulated time that a message takes at most, the interval of streams included. */
export const SETTLE_MS = 2_000;
/** As often something may happen while somebody waits for what has been told. */
const LOOKS_MAX = 3;

/** In place of a message: from here on nothing is told of this channel for a while. */
const LEFT = "left";

export class PrivateWatch {
  readonly trader: Trader;
  readonly product: Product;
  readonly mirror = new AccountMirror();
  readonly #version: StreamVersion;
  #socket: SimulatedSocket | null = null;
  /** Null once messages are taken as they come. */
  #held: StreamMessage[] | null = null;
  #failure: unknown = null;
  /** That came on this connection. */
  readonly #fills = new Set<string>();
  /** By order, what its fills said: those of a liquidation come at once. */
  readonly #liquidateFees = new Map<unknown, bigint>();
  /** Channels that it is not subscribed to for a while. */
  readonly #left = new Set<unknown>();

  constructor(trader: Trader, product: Product, version: StreamVersion) {
    this.#version = version;
    this.trader = trader;
    this.product = product;
  }

  /**
   * Subscribes, asks REST for what was before, and then follows the messages. `opened` happens
   * between the connection and the subscription.
   */
  async connect(opened?: () => Promise<void>): Promise<void> {
    this.disconnect();
    this.#left.clear();
    const { exchange } = this.trader;
    const path = streamPath(this.#version, this.product, "private");
    const held: StreamMessage[] = [];
    this.#held = held;
    const socket = await SimulatedSocket.open(exchange, path, this.#headers(), (said) => {
      exchange.trace(`${this.trader.name} ${this.product} stream`, said);
      const message = inWordsOfV3(this.#version, this.product, said);
      if (message === null) return;
      if (this.#left.has(message.e)) this.#failure ??= `left, and told ${JSON.stringify(said)}`;
      if (this.#held !== null) this.#held.push(message);
      else this.#take(message);
    });
    exchange.checkRunning();
    if (socket === null) throw new Breach("streams", `${path} refuses ${this.trader.name}`);
    this.#socket = socket;
    this.mirror.reconnected();
    this.#fills.clear();
    this.#liquidateFees.clear();
    await opened?.();
    await subscribe(socket, this.#version, this.product, CHANNELS[this.product]);
    await this.#join(held);
  }

  /** Asks REST for all of it once more, as somebody does who has lost a part of what was told. */
  async readAgain(): Promise<void> {
    if (!this.isConnected || this.#held !== null) return;
    const held: StreamMessage[] = [];
    this.#held = held;
    await this.#join(held);
  }

  get channels(): readonly string[] {
    return CHANNELS[this.product];
  }

  /** On the same connection, for as long as `away` takes: of these channels nothing is told. */
  async leave(names: readonly string[], away: () => Promise<void>): Promise<void> {
    const socket = this.#socket;
    if (socket === null || this.#held !== null) return;
    const held: StreamMessage[] = [];
    await unsubscribe(socket, this.#version, this.product, names, (name) => {
      this.#held = held;
      this.#left.add(name);
      // What it told while others were left is older than the state that is asked for then.
      held.splice(0, held.length, ...held.filter(({ e }) => e !== name));
      // In the order of the messages: version 2 leaves one channel after the other.
      held.push({ [LEFT]: name });
    });
    await away();
    await subscribe(socket, this.#version, this.product, names, (name) => {
      this.#left.delete(name);
    });
    if (this.isConnected && this.#socket === socket) await this.#join(held);
  }

  /** What REST says, and then what came meanwhile, and from now on comes. */
  async #join(held: readonly StreamMessage[]): Promise<void> {
    const state = await this.trader.readAccount(this.product);
    if (this.#held !== held) return;
    this.mirror.takeState(state);
    this.#held = null;
    for (const message of held) this.#take(message);
  }

  disconnect(): void {
    this.#socket?.close();
    this.#socket = null;
  }

  get isConnected(): boolean {
    return this.#socket?.isOpen === true;
  }

  #headers(): Record<string, string> {
    const { exchange, credentials } = this.trader;
    return handshakeHeaders(credentials, String(exchange.nowMs), `/${this.#version}/ws/private`);
  }

  #take(message: StreamMessage): void {
    const left = message[LEFT];
    try {
      if (left !== undefined) this.mirror.left(String(left));
      else this.mirror.take(message);
      for (const row of (message.d ?? []) as Row[]) {
        if (message.e === "orders") this.#observeOrder(row);
        else if (message.e === "fill") this.#takeFill(row);
      }
    } catch (error) {
      this.#failure ??= error;
    }
  }

  #takeFill(row: Row): void {
    const key = fillKey(row);
    const isNew = !this.#fills.has(key);
    hold(isNew, "no fill comes twice on a connection", () => JSON.stringify(row));
    this.#fills.add(key);
    const { liquidateFee = "0", orderId } = row;
    const before = this.#liquidateFees.get(orderId) ?? 0n;
    this.#liquidateFees.set(orderId, before + exact(String(liquidateFee)));
  }

  /** An order was, after some command, what a message says of it. */
  #observeOrder(row: Row): void {
    if (row.type !== "LIMIT" && row.type !== "MARKET") return;
    const { linearity, story } = this.trader.exchange;
    const { product } = this;
    const timeline = () => story.orders.get(product, String(row.id));
    const turn = linearity.turn();
    linearity.observe({
      kind: "message",
      what: `${this.trader.name} ${product} stream ${JSON.stringify(row)}`,
      asked: turn,
      answered: turn,
      changes: () => timeline()?.moments.map(({ sequence }) => sequence) ?? [],
      fits: (sequence) => {
        const known = timeline();
        const moment = known === undefined ? undefined : momentAt(known, sequence);
        return (
          moment !== undefined &&
          hasEnded(row) === !moment.isOpen &&
          exact(String(row.cumFillSize)) === moment.filled &&
          exact(String(row.size)) === moment.quantity &&
          row.createdTime === String(known?.moments[0]?.timeMs) &&
          row.updatedTime === String(moment.timeMs)
        );
      },
    });
  }

  /** What the stream told must be what REST says, or said a moment ago. */
  async check(read?: AccountState): Promise<void> {
    const { exchange, name } = this.trader;
    let state = withoutFollowers(read ?? (await this.trader.readAccount(this.product)));
    if (!this.isConnected) return;
    let differences = this.mirror.differences(state);
    for (let looks = 1; differences.length > 0 && looks <= LOOKS_MAX; looks++) {
      for (let waited = 0; differences.length > 0 && waited < SETTLE_MS; waited += 200) {
        await passTime(exchange, 200);
        differences = this.mirror.differences(state);
      }
      if (differences.length === 0) break;
      // Meanwhile a countdown may have ended, for example.
      state = withoutFollowers(await this.trader.readAccount(this.product));
      differences = this.mirror.differences(state);
    }
    const detail = () => `${name} ${this.product}: ${differences.slice(0, 5).join("\n  ")}`;
    hold(this.#failure === null, "private streams have no gap", () => String(this.#failure));
    hold(differences.length === 0, "private streams equal the history", detail);
    this.#checkSums();
  }

  /** What an order's messages add up is what its fills add up. */
  #checkSums(): void {
    const fees = new Map<unknown, bigint>();
    const profits = new Map<unknown, bigint>();
    for (const { fillFee, orderId, realizePnl = "0" } of this.mirror.fills.values()) {
      fees.set(orderId, (fees.get(orderId) ?? 0n) + exact(String(fillFee)));
      profits.set(orderId, (profits.get(orderId) ?? 0n) + exact(String(realizePnl)));
    }
    for (const row of this.mirror.orders.values()) {
      const { cumFillFee, cumRealizePnl, id } = row;
      const detail = () => `${this.trader.name} ${fees.get(id)} ${JSON.stringify(row)}`;
      const isFee = cumFillFee === undefined || exact(String(cumFillFee)) === (fees.get(id) ?? 0n);
      hold(isFee, "an order's fees are those of its fills", detail);
      const isProfit =
        cumRealizePnl === undefined || exact(String(cumRealizePnl)) === (profits.get(id) ?? 0n);
      hold(isProfit, "an order's profit is that of its fills", detail);
      const { cumLiquidateFee } = row;
      const told = this.#liquidateFees.get(id);
      const isDue =
        told === undefined ||
        cumLiquidateFee === undefined ||
        exact(String(cumLiquidateFee)) === told;
      hold(isDue, "a liquidation's fee is that of its fills", detail);
    }
  }
}

/** What new orders may use and a trailing stop's trigger follow prices, and no message says so. */
function withoutFollowers(state: AccountState): AccountState {
  const balances = [...state.balances].map(([coin, { amount, ...balance }]) => {
    return [coin, balance] as const;
  });
  const orders = [...state.orders].map(([id, order]) => {
    const { triggerPrice, ...others } = order;
    return [id, order.type === "TRAILING_STOP_MARKET" ? others : order] as const;
  });
  return { ...state, balances: new Map(balances), orders: new Map(orders) };
}

interface Depth {
  readonly lastUpdateId: number;
  readonly bids: [string, string][];
  readonly asks: [string, string][];
}

const BOOK_LEVELS = 15;
const READ_LEVELS = 200;

export class BookWatch {
  readonly product: Product;
  readonly symbol: string;
  readonly #exchange: SimulatedExchange;
  readonly #streams: StreamVersion;
  /** Of an earlier connection, which stays until the next one: both follow the same channel. */
  #left: SimulatedSocket | null = null;
  #book = new LocalBook();
  #socket: SimulatedSocket | null = null;
  #isAway = false;
  #failure: unknown = null;
  /** Of all books that were seen, also before a restart. */
  #highestVersion = 0;

  constructor(
    exchange: SimulatedExchange,
    product: Product,
    symbol: string,
    streams: StreamVersion,
  ) {
    this.#exchange = exchange;
    this.product = product;
    this.symbol = symbol;
    this.#streams = streams;
  }

  async connect(opened?: () => Promise<void>): Promise<void> {
    this.disconnect();
    const path = streamPath(this.#streams, this.product, "public");
    const book = new LocalBook();
    this.#book = book;
    this.#isAway = false;
    const socket = await SimulatedSocket.open(this.#exchange, path, {}, (said) => {
      this.#exchange.trace(`${this.symbol} ${this.product} book`, said);
      const message = inWordsOfV3(this.#streams, this.product, said);
      if (message !== null && book === this.#book) this.#take(message);
    });
    this.#exchange.checkRunning();
    if (socket === null) throw new Breach("streams", `${path} refuses a reader`);
    this.#socket = socket;
    await opened?.();
    await subscribe(socket, this.#streams, this.product, this.channels);
  }

  get channels(): readonly string[] {
    return [`${this.symbol}@depth${BOOK_LEVELS}`];
  }

  /** On the same connection, for as long as `away` takes, of which nothing is told. */
  async leave(names: readonly string[], away: () => Promise<void>): Promise<void> {
    const socket = this.#socket;
    if (socket === null) return;
    await unsubscribe(socket, this.#streams, this.product, names, () => {
      this.#isAway = true;
    });
    await away();
    await subscribe(socket, this.#streams, this.product, names, () => {
      this.#isAway = false;
      this.#book.beginAnew();
    });
  }

  disconnect(): void {
    this.#left?.close();
    this.#left = null;
    this.#socket?.close();
    this.#socket = null;
  }

  /** Once more, beside the connection that there is. */
  async connectBeside(): Promise<void> {
    const left = this.#socket;
    this.#left?.close();
    this.#socket = null;
    this.#left = null;
    await this.connect();
    if (left?.isOpen === true) this.#left = left;
  }

  get isConnected(): boolean {
    return this.#socket?.isOpen === true;
  }

  /** Nothing of what comes is read until `readOn`. */
  stopReading(): void {
    this.#socket?.stopReading();
  }

  readOn(): void {
    this.#socket?.readOn();
  }

  /** Channels of version 3 beside the book, and the book once more. */
  askFor(names: readonly string[]): void {
    const params = [`${this.symbol}@depth${BOOK_LEVELS}`, ...names];
    this.#socket?.post({ method: "SUBSCRIBE", params });
  }

  /** That REST has answered. */
  get highestVersion(): number {
    return this.#highestVersion;
  }

  #take(message: StreamMessage): void {
    if (message.e !== "depth" && message.e !== "depthSnapshot") return;
    try {
      if (this.#isAway) throw new Error(`left, and told of version ${message.u}`);
      this.#book.apply(message as unknown as DepthMessage);
      this.#observe();
    } catch (error) {
      this.#failure ??= error;
    }
  }

  /** The book that the messages made so far is the one of its version. */
  #observe(): void {
    const { linearity, story } = this.#exchange;
    const name = `${this.product} ${this.symbol}`;
    const { text, version } = this.#book;
    const turn = linearity.turn();
    linearity.observe({
      kind: "message",
      what: `${name} stream ${version} ${text}`,
      asked: turn,
      answered: turn,
      changes: () => story.books.changes(name),
      fits: (sequence) => {
        const book = story.books.at(name, sequence);
        return book?.version === version && bookText(book.bids, book.asks, BOOK_LEVELS) === text;
      },
    });
  }

  async depth(): Promise<Depth> {
    const path = this.product === "spot" ? "/api/v3/market/depth" : "/capi/v3/market/depth";
    const query = { symbol: this.symbol, limit: READ_LEVELS };
    const { linearity, story } = this.#exchange;
    const asked = linearity.turn();
    const depth = await this.#exchange.read<Depth>(null, path, query);
    const { lastUpdateId: read } = depth;
    const name = `${this.product} ${this.symbol}`;
    const said = JSON.stringify([depth.bids, depth.asks]);
    linearity.observe({
      kind: "read",
      what: `${name} depth ${read} ${said}`,
      asked,
      answered: linearity.turn(),
      changes: () => story.books.changes(name),
      fits: (sequence) => {
        const book = story.books.at(name, sequence);
        return book?.version === read && bookText(book.bids, book.asks, READ_LEVELS) === said;
      },
    });
    const goesOn = depth.lastUpdateId >= this.#highestVersion;
    const detail = () => `${this.symbol}: ${this.#highestVersion} → ${depth.lastUpdateId}`;
    hold(goesOn, "a book's version never goes back", detail);
    this.#highestVersion = depth.lastUpdateId;
    const [bid] = depth.bids;
    const [ask] = depth.asks;
    const crossed = bid !== undefined && ask !== undefined && Number(bid[0]) >= Number(ask[0]);
    hold(!crossed, "no book is crossed", () => `${bid} ${ask}`);
    return depth;
  }

  /** The book that its updates made must be the one of its version. */
  async check(): Promise<void> {
    const depth = await this.depth();
    if (!this.isConnected) return;
    for (let waited = 0; waited < SETTLE_MS; waited += 200) {
      if (this.#book.version >= depth.lastUpdateId) break;
      await passTime(this.#exchange, 200);
    }
    hold(this.#failure === null, "book updates have no gap", () => String(this.#failure));
    const { version } = this.#book;
    const detail = () => `${this.product} ${this.symbol}: ${version} of ${depth.lastUpdateId}`;
    hold(version >= depth.lastUpdateId, "book updates reach every version", detail);
    if (version > depth.lastUpdateId) return;
    const difference = this.#book.differenceFrom(depth, BOOK_LEVELS);
    hold(difference === null, "a book equals its updates", () => `${detail()}: ${difference}`);
  }
}
