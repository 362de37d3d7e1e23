/** Spot v3: market data, account and trading. Amounts are decimal text, times Unix milliseconds. */
import { newClientId } from "./credentials.ts";
import type { CallOptions } from "./http-calls.ts";
import type { InterfaceCalls } from "./interface-calls.ts";
import type { Answer, Body, Query, Without } from "./route-types.ts";

export type SpotOrder = Answer<"v3-order">;
export type PlaceSpotOrder = Body<"v3-place-order">;
export type PlacedSpotOrder = Answer<"v3-place-order">;
export type SpotSymbol = Answer<"v3-exchange-info">["symbols"][number];
export type SpotTicker = Answer<"v3-ticker-24hr">[number];
export type SpotBookTicker = Answer<"v3-book-ticker">[number];
export type SpotTrade = Answer<"v3-trades">[number];
export type SpotFill = Answer<"v3-my-trades">[number];
export type SpotAccount = Answer<"v3-account">;
export type Depth = Answer<"v3-depth">;
/** Price and quantity. */
export type BookLevel = Depth["bids"][number];
/** `[openTime, open, high, low, close, volume, closeTime, quoteVolume, trades, takerBuy…]` */
export type Candle = Answer<"v3-klines">[number];

/** An order id, or the caller's own; the order id decides when both are given. */
export type SpotOrderKey = Query<"v3-order">;

export class SpotClient {
  readonly #calls: InterfaceCalls;

  constructor(calls: InterfaceCalls) {
    this.#calls = calls;
  }

  /** Exchange time. */
  serverTime(options?: CallOptions): Promise<Answer<"v3-server-time">> {
    return this.#calls.call("v3-server-time", {}, options);
  }

  /** Answers when the exchange is reachable. */
  ping(options?: CallOptions): Promise<Answer<"v3-ping">> {
    return this.#calls.call("v3-ping", {}, options);
  }

  /** Every listed asset. */
  coins(options?: CallOptions): Promise<Answer<"v3-coins">> {
    return this.#calls.call("v3-coins", {}, options);
  }

  /** Rules of the markets: tick, step, least and greatest amounts, fees. -1121: unknown symbol. */
  exchangeInfo(
    query: Query<"v3-exchange-info"> = {},
    options?: CallOptions,
  ): Promise<Answer<"v3-exchange-info">> {
    return this.#calls.call("v3-exchange-info", { query }, options);
  }

  /** Symbols that take orders now. */
  tradingSymbols(options?: CallOptions): Promise<Answer<"v3-api-trading-symbols">> {
    return this.#calls.call("v3-api-trading-symbols", {}, options);
  }

  /** Last prices, "0" before a market's first trade; of all markets without a symbol. */
  prices(
    query: Query<"v3-ticker-price"> = {},
    options?: CallOptions,
  ): Promise<Answer<"v3-ticker-price">> {
    return this.#calls.call("v3-ticker-price", { query }, options);
  }

  /** The rolling 24 hours; of all markets without a symbol. */
  tickers(
    query: Query<"v3-ticker-24hr"> = {},
    options?: CallOptions,
  ): Promise<Answer<"v3-ticker-24hr">> {
    return this.#calls.call("v3-ticker-24hr", { query }, options);
  }

  /** Best bids and asks, "0" where a side is empty. */
  bookTickers(
    query: Query<"v3-book-ticker"> = {},
    options?: CallOptions,
  ): Promise<Answer<"v3-book-ticker">> {
    return this.#calls.call("v3-book-ticker", { query }, options);
  }

  /** The order book's best 15 or 200 levels; `lastUpdateId` is the `u` of the streams. */
  depth(query: Query<"v3-depth">, options?: CallOptions): Promise<Depth> {
    return this.#calls.call("v3-depth", { query }, options);
  }

  /** Candles, oldest first, without gaps; the newest 300 without bounds. */
  klines(query: Query<"v3-klines">, options?: CallOptions): Promise<Answer<"v3-klines">> {
    return this.#calls.call("v3-klines", { query }, options);
  }

  /** The latest trades, newest first. */
  trades(query: Query<"v3-trades">, options?: CallOptions): Promise<Answer<"v3-trades">> {
    return this.#calls.call("v3-trades", { query }, options);
  }

  /** Balances and fee rates of the spot wallet. */
  account(options?: CallOptions): Promise<SpotAccount> {
    return this.#calls.call("v3-account", {}, options);
  }

  /** Changes of the spot wallet, newest first. `deltaAmount` is signed. */
  bills(body: Body<"v3-bills"> = {}, options?: CallOptions): Promise<Answer<"v3-bills">> {
    return this.#calls.call("v3-bills", { body }, options);
  }

  /** Deposits and withdrawals of both wallets, newest first, in pages. */
  fundingBills(
    body: Body<"v3-funding-bills"> = {},
    options?: CallOptions,
  ): Promise<Answer<"v3-funding-bills">> {
    return this.#calls.call("v3-funding-bills", { body }, options);
  }

  /** Transfers between the wallets, newest first. */
  transfers(
    query: Query<"v3-transfer-records"> = {},
    options?: CallOptions,
  ): Promise<Answer<"v3-transfer-records">> {
    return this.#calls.call("v3-transfer-records", { query }, options);
  }

  /**
   * Moves funds between the wallets, once for each `clientTransferId`, which is made up if it is
   * left out. -2201: not enough available. Needs the permission `contract`.
   */
  transfer(
    transfer: Without<Body<"v3-transfer">, "clientTransferId">,
    options?: CallOptions,
  ): Promise<Answer<"v3-transfer">> {
    const body = { clientTransferId: newClientId(), ...transfer };
    return this.#calls.call("v3-transfer", { body }, options);
  }

  /**
   * Places an order. `quantity` is of the base asset, `price` on the market's tick. Without
   * `newClientOrderId` one is made up, so that a repetition after a lost answer finds the first
   * order. -1121 symbol, -1160 off tick or step, -2201 balance, -2203 price band, -2204 and -2205
   * size, -2202 the client id was used for another order.
   */
  placeOrder(order: PlaceSpotOrder, options?: CallOptions): Promise<PlacedSpotOrder> {
    const body = { newClientOrderId: newClientId(), ...order };
    return this.#calls.call("v3-place-order", { body }, options);
  }

  /** Whether an order would be accepted at this moment; nothing is changed. As `placeOrder`. */
  testOrder(order: PlaceSpotOrder, options?: CallOptions): Promise<Answer<"v3-test-order">> {
    return this.#calls.call("v3-test-order", { body: order }, options);
  }

  /**
   * Gives an open limit order another price or quantity, under its id. It keeps its place in the
   * queue where only the quantity falls. Refused, it stays as it was.
   */
  amendOrder(
    body: Body<"v3-amend-order">,
    options?: CallOptions,
  ): Promise<Answer<"v3-amend-order">> {
    return this.#calls.call("v3-amend-order", { body }, options);
  }

  /**
   * Cancels every open order after `countdownMs`, unless it is called again before; 0 switches
   * it off. For a client that may fall silent.
   */
  cancelAllAfter(
    body: Body<"v3-cancel-all-after">,
    options?: CallOptions,
  ): Promise<Answer<"v3-cancel-all-after">> {
    return this.#calls.call("v3-cancel-all-after", { body }, options);
  }

  /** Countdowns that are on. */
  countdowns(options?: CallOptions): Promise<Answer<"v3-countdowns">> {
    return this.#calls.call("v3-countdowns", {}, options);
  }

  /** One order, open or ended. -2200: there is none. */
  order(query: SpotOrderKey, options?: CallOptions): Promise<SpotOrder> {
    return this.#calls.call("v3-order", { query }, options);
  }

  /** Cancels an open order. -2200: it is not open any more; with `attempts` > 1 perhaps by us. */
  cancelOrder(query: SpotOrderKey, options?: CallOptions): Promise<Answer<"v3-cancel-order">> {
    return this.#calls.call("v3-cancel-order", { query }, options);
  }

  /** Cancels up to ten orders; each row of the answer says whether it was. */
  cancelOrders(
    body: Body<"v3-cancel-orders">,
    options?: CallOptions,
  ): Promise<Answer<"v3-cancel-orders">> {
    return this.#calls.call("v3-cancel-orders", { body }, options);
  }

  /** Open orders, newest first; of all markets without a symbol. */
  openOrders(query: Query<"v3-open-orders"> = {}, options?: CallOptions): Promise<SpotOrder[]> {
    return this.#calls.call("v3-open-orders", { query }, options);
  }

  /** Cancels every open order of a market. Not repeated by itself when the answer is lost. */
  cancelOpenOrders(
    query: Query<"v3-cancel-open-orders">,
    options?: CallOptions,
  ): Promise<Answer<"v3-cancel-open-orders">> {
    return this.#calls.call("v3-cancel-open-orders", { query }, options);
  }

  /** Open and ended orders of a market, newest first, in pages from 1. */
  allOrders(query: Query<"v3-all-orders">, options?: CallOptions): Promise<SpotOrder[]> {
    return this.#calls.call("v3-all-orders", { query }, options);
  }

  /** The caller's fills in a market, newest first. The fee is in the asset received. */
  myTrades(query: Query<"v3-my-trades">, options?: CallOptions): Promise<SpotFill[]> {
    return this.#calls.call("v3-my-trades", { query }, options);
  }
}
