/** The four streams: market data and private channels, of spot and of contracts. */
import { STREAM_SIGNED_PATHS } from "../../api/stream-paths.ts";
import { toStreamProtocols } from "../../api/stream-protocols.ts";
import type { CandleInterval, Product } from "../../domain/index.ts";
import { type ApiCalls, isTimestampExpired } from "../api-calls.ts";
import { RialtoError, StreamError } from "../errors.ts";
import { type SocketClass, socketClass } from "../runtime.ts";
import type { Deposit, Withdrawal } from "../spot.ts";
import { LocalOrderBook } from "./local-order-book.ts";
import { StreamConnection, type StreamState } from "./stream-connection.ts";
import {
  type ContractWallet,
  fromSnapshot,
  type PriceType,
  readBookOrders,
  readBookTickers,
  readContractWallets,
  readDeposits,
  readDepths,
  readFills,
  readKlines,
  readOrders,
  readPositions,
  readSpotBalances,
  readTickers,
  readTrades,
  readWithdrawals,
  type SpotBalance,
  type StreamBookOrders,
  type StreamBookTicker,
  type StreamDepth,
  type StreamFill,
  type StreamKline,
  type StreamOrder,
  type StreamPosition,
  type StreamTicker,
  type StreamTrade,
} from "./stream-events.ts";
import { Subscription } from "./subscription.ts";

const PUBLIC_PROBE = { method: "PONG", everyMs: 10_000 } as const;
/**
 * Private connections do not answer PONG; ending a subscription that does not exist is always
 * possible.
 */
const PRIVATE_PROBE = { method: "UNSUBSCRIBE", params: ["-"], everyMs: 45_000 } as const;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

const PREFIX: Readonly<Record<Product, string>> = { spot: "", contract: "/contract" };

export interface StreamOptions {
  /** Replaces the global one. */
  readonly webSocket?: SocketClass | undefined;
}

/** One connection. It opens with its first subscription, and stays open until it is closed. */
class Stream {
  protected readonly connection: StreamConnection;

  constructor(connection: StreamConnection) {
    this.connection = connection;
  }

  get state(): StreamState {
    return this.connection.state;
  }

  /** Duration of the exchange's last response, in ms; null before the first. */
  get latencyMs(): number | null {
    return this.connection.latencyMs;
  }

  /** Called on every change. Returns a function that stops it. */
  onState(listener: (state: StreamState) => void): () => void {
    return this.connection.onState(listener);
  }

  /** Ends the connection and all its subscriptions. */
  close(): void {
    this.connection.close();
  }
}

class MarketStreams extends Stream {
  readonly #calls: ApiCalls;
  readonly #depthId: "v3-depth" | "contract-depth";

  constructor(calls: ApiCalls, product: Product, options: StreamOptions) {
    super(publicConnection(calls, product, options));
    this.#calls = calls;
    this.#depthId = product === "spot" ? "v3-depth" : "contract-depth";
  }

  /** The rolling 24 hours: at once, then at most every 100 ms. */
  ticker(symbol: string): Subscription<StreamTicker> {
    const channel = `${symbol}@ticker`;
    return this.#open(channel, readTickers, "latest");
  }

  /** Every trade from now on, one event each. */
  trades(symbol: string): Subscription<StreamTrade> {
    return this.#open(`${symbol}@trade`, readTrades, "all");
  }

  /** Snapshots and updates of a book as sent; `orderBook` keeps a book from them. */
  depth(symbol: string, levels: 15 | 200 = 15): Subscription<StreamDepth> {
    return this.#open(`${symbol}@depth${levels}`, fromSnapshot(readDepths), "all");
  }

  /**
   * The whole book, then what each command changed, one event each: `lastUpdateId` is what the
   * answer to its order has.
   */
  bookChanges(symbol: string): Subscription<StreamDepth> {
    return this.#open(`${symbol}@depth`, fromSnapshot(readDepths), "all");
  }

  /**
   * In a sandbox: every order of the book in its priority, then what each command did to orders,
   * one event each.
   */
  bookOrders(symbol: string): Subscription<StreamBookOrders> {
    return this.#open(`${symbol}@orders`, fromSnapshot(readBookOrders), "all");
  }

  /** A book that is kept up to date. */
  orderBook(symbol: string, levels: 15 | 200 = 200): LocalOrderBook {
    const query = { symbol, limit: levels };
    const fetchDepth = () => this.#calls.call(this.#depthId, { query });
    const { connection } = this;
    const { runtime } = this.#calls;
    return new LocalOrderBook({ connection, runtime, symbol, levels, fetchDepth });
  }

  protected candles(
    symbol: string,
    interval: CandleInterval,
    price: PriceType,
  ): Subscription<StreamKline> {
    return this.#open(`${symbol}@kline_${interval}_${price}`, readKlines, "latest");
  }

  protected bestPrices(symbol: string): Subscription<StreamBookTicker> {
    return this.#open(`${symbol}@bookTicker`, readBookTickers, "latest");
  }

  #open<Event>(
    channel: string,
    read: ConstructorParameters<typeof Subscription<Event>>[0]["read"],
    keep: "latest" | "all",
  ): Subscription<Event> {
    return new Subscription({ connection: this.connection, channel, read, keep });
  }
}

export class SpotStreams extends MarketStreams {
  constructor(calls: ApiCalls, options: StreamOptions) {
    super(calls, "spot", options);
  }

  /** The last two candles, at most every 300 ms: the open one, and the previous one, final. */
  klines(symbol: string, interval: CandleInterval): Subscription<StreamKline> {
    return this.candles(symbol, interval, "LAST_PRICE");
  }

  /** Best bid and ask, at most every 100 ms. */
  bookTicker(symbol: string): Subscription<StreamBookTicker> {
    return this.bestPrices(symbol);
  }
}

export class ContractStreams extends MarketStreams {
  constructor(calls: ApiCalls, options: StreamOptions) {
    super(calls, "contract", options);
  }

  /** Candles of trades, or of the mark; as on spot. */
  klines(
    symbol: string,
    interval: CandleInterval,
    price: PriceType = "LAST_PRICE",
  ): Subscription<StreamKline> {
    return this.candles(symbol, interval, price);
  }
}

/**
 * A subscription delivers events from then on. Query earlier state over REST, also after the
 * connection was interrupted: see `resumed` of the state.
 */
class AccountStreams extends Stream {
  constructor(calls: ApiCalls, product: Product, options: StreamOptions) {
    super(privateConnection(calls, product, options));
  }

  /** Every order that changes, as it is after the change. */
  orders(): Subscription<StreamOrder> {
    const { connection } = this;
    return new Subscription({ connection, channel: "orders", read: readOrders, keep: "all" });
  }

  /** Every fill. */
  fills(): Subscription<StreamFill> {
    const { connection } = this;
    return new Subscription({ connection, channel: "fill", read: readFills, keep: "all" });
  }
}

export class SpotAccountStreams extends AccountStreams {
  constructor(calls: ApiCalls, options: StreamOptions) {
    super(calls, "spot", options);
  }

  /** Balances that change. */
  account(): Subscription<SpotBalance> {
    const { connection } = this;
    return new Subscription({
      connection,
      channel: "account",
      read: readSpotBalances,
      keep: "all",
    });
  }

  /** Withdrawals that are requested or come to another status, as `spot.withdrawals` has them. */
  withdrawals(): Subscription<Withdrawal> {
    const { connection } = this;
    return new Subscription({
      connection,
      channel: "withdrawals",
      read: readWithdrawals,
      keep: "all",
    });
  }

  /** Deposits that are seen, confirmed, credited or dropped, as `spot.deposits` has them. */
  deposits(): Subscription<Deposit> {
    const { connection } = this;
    return new Subscription({ connection, channel: "deposits", read: readDeposits, keep: "all" });
  }
}

export class ContractAccountStreams extends AccountStreams {
  constructor(calls: ApiCalls, options: StreamOptions) {
    super(calls, "contract", options);
  }

  /** Changes of the wallet, except of unrealised profit alone. */
  account(): Subscription<ContractWallet> {
    const { connection } = this;
    return new Subscription({
      connection,
      channel: "account",
      read: readContractWallets,
      keep: "all",
    });
  }

  /** Positions that change; a closed one is sent once more with size "0". */
  positions(): Subscription<StreamPosition> {
    const { connection } = this;
    return new Subscription({ connection, channel: "positions", read: readPositions, keep: "all" });
  }
}

/** Every call opens a connection of its own. */
export class Streams {
  readonly #calls: ApiCalls;
  readonly #options: StreamOptions;

  constructor(calls: ApiCalls, options: StreamOptions) {
    this.#calls = calls;
    this.#options = options;
  }

  /** Market data of spot. */
  spot(): SpotStreams {
    return new SpotStreams(this.#calls, this.#options);
  }

  /** Market data of contracts. */
  contract(): ContractStreams {
    return new ContractStreams(this.#calls, this.#options);
  }

  /** The caller's spot account. Throws without credentials. */
  spotAccount(): SpotAccountStreams {
    return new SpotAccountStreams(this.#calls, this.#options);
  }

  /** The caller's contract account. Throws without credentials. */
  contractAccount(): ContractAccountStreams {
    return new ContractAccountStreams(this.#calls, this.#options);
  }
}

function streamUrl({ baseUrl }: ApiCalls, product: Product, path: string): string {
  return baseUrl.replace(/^http/, "ws") + PREFIX[product] + path;
}

function publicConnection(
  calls: ApiCalls,
  product: Product,
  { webSocket }: StreamOptions,
): StreamConnection {
  return new StreamConnection({
    socketClass: socketClass(webSocket),
    runtime: calls.runtime,
    url: streamUrl(calls, product, "/v3/ws/public"),
    probe: PUBLIC_PROBE,
    protocols: async () => [],
    diagnose: async () => null,
  });
}

function privateConnection(
  calls: ApiCalls,
  product: Product,
  { webSocket }: StreamOptions,
): StreamConnection {
  const { signer, clock } = calls;
  return new StreamConnection({
    socketClass: socketClass(webSocket),
    runtime: calls.runtime,
    url: streamUrl(calls, product, "/v3/ws/private"),
    probe: PRIVATE_PROBE,
    protocols: async () =>
      toStreamProtocols(await signer.headers(clock.nowMs(), "", STREAM_SIGNED_PATHS.v3, "")),
    diagnose: (signal) => whyRefused(calls, product, signal),
  });
}

/**
 * A browser cannot read the response to a rejected handshake, so the same key makes a REST call,
 * which also corrects the clock.
 */
async function whyRefused(
  calls: ApiCalls,
  product: Product,
  signal: AbortSignal,
): Promise<StreamError | null> {
  try {
    const options = { attempts: 1, signal };
    if (product === "spot") await calls.callOverHttp("v3-account", {}, options);
    else await calls.callOverHttp("contract-account-config", {}, options);
    return null;
  } catch (error) {
    if (!(error instanceof RialtoError)) return null;
    const isRejected = error.status === UNAUTHORIZED || error.status === FORBIDDEN;
    return isRejected && !isTimestampExpired(error)
      ? new StreamError(`${error.message} (${error.code})`)
      : null;
  }
}
