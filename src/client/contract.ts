/**
 * Contract v3: market data, account, orders and positions. Quantities are of the base asset, money
 * of the margin asset, all decimal text; times are Unix milliseconds.
 */

import type { Static } from "typebox";
import type { NEW_ORDER } from "../api/contract/trade.ts";
import { newClientId } from "./credentials.ts";
import type { CallOptions } from "./http-calls.ts";
import type { InterfaceCalls } from "./interface-calls.ts";
import type { Answer, Body, Input, Query, Without } from "./route-types.ts";

export type ContractSymbol = Answer<"contract-exchange-info">["symbols"][number];
export type ContractTicker = Answer<"contract-ticker-24hr">[number];
export type ContractBookTicker = Answer<"contract-book-ticker">[number];
export type ContractTrade = Answer<"contract-trades">[number];
export type PremiumIndex = Answer<"contract-premium-index">[number];
export type ContractBalance = Answer<"contract-balance">[number];
export type Position = Answer<"contract-all-positions">[number];
export type ContractOrder = Answer<"contract-order">;
export type EndedContractOrder = Answer<"contract-order-history">[number];
export type ContractFill = Answer<"contract-user-trades">[number];
export type PlaceContractOrder = Without<Input<Static<typeof NEW_ORDER>>, "newClientOrderId">;
export type PlacedContractOrder = Answer<"contract-place-order">;
export type AlgoOrder = Answer<"contract-open-algo-orders">[number];
export type EndedAlgoOrder = Answer<"contract-all-algo-orders">["orders"][number];
export type PlaceAlgoOrder = Without<Body<"contract-place-algo-order">, "clientAlgoId">;
export type PlaceTpSlOrder = Without<Body<"contract-place-tp-sl-order">, "clientAlgoId">;

export class ContractClient {
  readonly #calls: InterfaceCalls;

  constructor(calls: InterfaceCalls) {
    this.#calls = calls;
  }

  /** Exchange time. */
  serverTime(options?: CallOptions): Promise<Answer<"contract-time">> {
    return this.#calls.call("contract-time", {}, options);
  }

  /** Rules of the markets: precisions, sizes, leverages, fees. */
  exchangeInfo(
    query: Query<"contract-exchange-info"> = {},
    options?: CallOptions,
  ): Promise<Answer<"contract-exchange-info">> {
    return this.#calls.call("contract-exchange-info", { query }, options);
  }

  /** Symbols that take orders now. */
  tradingSymbols(options?: CallOptions): Promise<Answer<"contract-api-trading-symbols">> {
    return this.#calls.call("contract-api-trading-symbols", {}, options);
  }

  /** The order book's best 15 or 200 levels; `lastUpdateId` is the `u` of the streams. */
  depth(query: Query<"contract-depth">, options?: CallOptions): Promise<Answer<"contract-depth">> {
    return this.#calls.call("contract-depth", { query }, options);
  }

  /** The rolling 24 hours with mark and index; of all markets without a symbol. */
  tickers(
    query: Query<"contract-ticker-24hr"> = {},
    options?: CallOptions,
  ): Promise<ContractTicker[]> {
    return this.#calls.call("contract-ticker-24hr", { query }, options);
  }

  /** Best bids and asks, "0" where a side is empty. */
  bookTickers(
    query: Query<"contract-book-ticker"> = {},
    options?: CallOptions,
  ): Promise<ContractBookTicker[]> {
    return this.#calls.call("contract-book-ticker", { query }, options);
  }

  /** The latest trades, newest first. */
  trades(query: Query<"contract-trades">, options?: CallOptions): Promise<ContractTrade[]> {
    return this.#calls.call("contract-trades", { query }, options);
  }

  /** The newest candles of trades, oldest first. */
  klines(
    query: Query<"contract-klines">,
    options?: CallOptions,
  ): Promise<Answer<"contract-klines">> {
    return this.#calls.call("contract-klines", { query }, options);
  }

  /** The newest candles of the index. */
  indexPriceKlines(
    query: Query<"contract-index-price-klines">,
    options?: CallOptions,
  ): Promise<Answer<"contract-index-price-klines">> {
    return this.#calls.call("contract-index-price-klines", { query }, options);
  }

  /** The newest candles of the mark. */
  markPriceKlines(
    query: Query<"contract-mark-price-klines">,
    options?: CallOptions,
  ): Promise<Answer<"contract-mark-price-klines">> {
    return this.#calls.call("contract-mark-price-klines", { query }, options);
  }

  /** Candles of a range of times, of trades, index or mark. */
  historyKlines(
    query: Query<"contract-history-klines">,
    options?: CallOptions,
  ): Promise<Answer<"contract-history-klines">> {
    return this.#calls.call("contract-history-klines", { query }, options);
  }

  /** Index (default) or mark price, "0" before the first. */
  symbolPrice(
    query: Query<"contract-symbol-price">,
    options?: CallOptions,
  ): Promise<Answer<"contract-symbol-price">> {
    return this.#calls.call("contract-symbol-price", { query }, options);
  }

  /** Size of all open positions of one side, in the base asset. */
  openInterest(
    query: Query<"contract-open-interest">,
    options?: CallOptions,
  ): Promise<Answer<"contract-open-interest">> {
    return this.#calls.call("contract-open-interest", { query }, options);
  }

  /** Mark, index, the next funding and what it would be. Rates are fractions. */
  premiumIndex(
    query: Query<"contract-premium-index"> = {},
    options?: CallOptions,
  ): Promise<PremiumIndex[]> {
    return this.#calls.call("contract-premium-index", { query }, options);
  }

  /** Past fundings, newest first; a range of at most 7 days. */
  fundingRates(
    query: Query<"contract-funding-rate">,
    options?: CallOptions,
  ): Promise<Answer<"contract-funding-rate">> {
    return this.#calls.call("contract-funding-rate", { query }, options);
  }

  /** The contract wallet, by margin asset. */
  balance(options?: CallOptions): Promise<ContractBalance[]> {
    return this.#calls.call("contract-balance", {}, options);
  }

  /** What the account may do. */
  accountConfig(options?: CallOptions): Promise<Answer<"contract-account-config">> {
    return this.#calls.call("contract-account-config", {}, options);
  }

  /** Margin mode and leverages, of one market or all. */
  symbolConfig(
    query: Query<"contract-symbol-config"> = {},
    options?: CallOptions,
  ): Promise<Answer<"contract-symbol-config">> {
    return this.#calls.call("contract-symbol-config", { query }, options);
  }

  /** The caller's fee rates in a market, as fractions. */
  commissionRate(
    query: Query<"contract-commission-rate">,
    options?: CallOptions,
  ): Promise<Answer<"contract-commission-rate">> {
    return this.#calls.call("contract-commission-rate", { query }, options);
  }

  /** Changes leverages of a market. -3208: an order waits to open; -3313: above the maximum. */
  setLeverage(
    body: Body<"contract-leverage">,
    options?: CallOptions,
  ): Promise<Answer<"contract-leverage">> {
    return this.#calls.call("contract-leverage", { body }, options);
  }

  /** Changes the margin mode of a market. -3209: there is an open order or position. */
  setMarginType(
    body: Body<"contract-margin-type">,
    options?: CallOptions,
  ): Promise<Answer<"contract-margin-type">> {
    return this.#calls.call("contract-margin-type", { body }, options);
  }

  /** Adds margin to an isolated position (type 1) or takes some back (2). Never repeated. */
  changePositionMargin(
    body: Body<"contract-position-margin">,
    options?: CallOptions,
  ): Promise<Answer<"contract-position-margin">> {
    return this.#calls.call("contract-position-margin", { body }, options);
  }

  /** Whether an isolated position takes margin from the wallet before it is liquidated. */
  setAutoAppendMargin(
    body: Body<"contract-auto-append-margin">,
    options?: CallOptions,
  ): Promise<Answer<"contract-auto-append-margin">> {
    return this.#calls.call("contract-auto-append-margin", { body }, options);
  }

  /** Changes of the contract wallet, newest first; `nextKey` leads to the page behind. */
  income(
    body: Body<"contract-income"> = {},
    options?: CallOptions,
  ): Promise<Answer<"contract-income">> {
    return this.#calls.call("contract-income", { body }, options);
  }

  /** Open positions of all markets. */
  positions(options?: CallOptions): Promise<Position[]> {
    return this.#calls.call("contract-all-positions", {}, options);
  }

  /** Open positions of one market. */
  positionsOf(
    query: Query<"contract-single-position">,
    options?: CallOptions,
  ): Promise<Position[]> {
    return this.#calls.call("contract-single-position", { query }, options);
  }

  /**
   * Places an order. BUY LONG and SELL SHORT open, SELL LONG and BUY SHORT close. Without
   * `newClientOrderId` one is made up. -3201 margin, -3202 more than can be closed, -3206 position
   * limit, -1160 off tick or step.
   */
  placeOrder(order: PlaceContractOrder, options?: CallOptions): Promise<PlacedContractOrder> {
    return this.#calls.call("contract-place-order", { body: withClientId(order) }, options);
  }

  /** Whether an order would be accepted at this moment; nothing is changed. As `placeOrder`. */
  testOrder(
    order: PlaceContractOrder,
    options?: CallOptions,
  ): Promise<Answer<"contract-test-order">> {
    return this.#calls.call("contract-test-order", { body: withClientId(order) }, options);
  }

  /**
   * Gives an open limit order another price or quantity, under its id. It keeps its place in the
   * queue where only the quantity falls. Refused, it stays as it was.
   */
  amendOrder(
    body: Body<"contract-amend-order">,
    options?: CallOptions,
  ): Promise<Answer<"contract-amend-order">> {
    return this.#calls.call("contract-amend-order", { body }, options);
  }

  /**
   * Cancels every open order, conditional ones too, after `countdownMs`, unless it is called again
   * before; 0 switches it off. For a client that may fall silent.
   */
  cancelAllAfter(
    body: Body<"contract-cancel-all-after">,
    options?: CallOptions,
  ): Promise<Answer<"contract-cancel-all-after">> {
    return this.#calls.call("contract-cancel-all-after", { body }, options);
  }

  /** Countdowns that are on. */
  countdowns(options?: CallOptions): Promise<Answer<"contract-countdowns">> {
    return this.#calls.call("contract-countdowns", {}, options);
  }

  /** Places up to five orders; each row of the answer says whether it was accepted. */
  placeOrders(
    orders: readonly PlaceContractOrder[],
    options?: CallOptions,
  ): Promise<PlacedContractOrder[]> {
    const body = { batchOrders: orders.map(withClientId) };
    return this.#calls.call("contract-place-orders", { body }, options);
  }

  /** One order, open or ended. -2200: there is none. */
  order(query: Query<"contract-order">, options?: CallOptions): Promise<ContractOrder> {
    return this.#calls.call("contract-order", { query }, options);
  }

  /** Cancels an open order. -2200: it is not open any more; with `attempts` > 1 perhaps by us. */
  cancelOrder(
    query: Query<"contract-cancel-order">,
    options?: CallOptions,
  ): Promise<Answer<"contract-cancel-order">> {
    return this.#calls.call("contract-cancel-order", { query }, options);
  }

  /** Cancels up to ten orders; each row of the answer says whether it was. */
  cancelOrders(
    body: Body<"contract-cancel-orders">,
    options?: CallOptions,
  ): Promise<Answer<"contract-cancel-orders">> {
    return this.#calls.call("contract-cancel-orders", { body }, options);
  }

  /** Cancels every open order of a market, or of all. Not repeated when the answer is lost. */
  cancelAllOrders(
    query: Query<"contract-cancel-all-orders"> = {},
    options?: CallOptions,
  ): Promise<Answer<"contract-cancel-all-orders">> {
    return this.#calls.call("contract-cancel-all-orders", { query }, options);
  }

  /** Closes positions at market price: of a symbol, one by id, or all. Never repeated. */
  closePositions(
    body: Body<"contract-close-positions"> = {},
    options?: CallOptions,
  ): Promise<Answer<"contract-close-positions">> {
    return this.#calls.call("contract-close-positions", { body }, options);
  }

  /** Open orders, by ascending order id. */
  openOrders(
    query: Query<"contract-open-orders"> = {},
    options?: CallOptions,
  ): Promise<ContractOrder[]> {
    return this.#calls.call("contract-open-orders", { query }, options);
  }

  /** Ended orders, newest first; a range of at most 90 days. */
  orderHistory(
    query: Query<"contract-order-history"> = {},
    options?: CallOptions,
  ): Promise<EndedContractOrder[]> {
    return this.#calls.call("contract-order-history", { query }, options);
  }

  /** The caller's fills, newest first. */
  userTrades(
    query: Query<"contract-user-trades"> = {},
    options?: CallOptions,
  ): Promise<ContractFill[]> {
    return this.#calls.call("contract-user-trades", { query }, options);
  }

  /** Places a conditional order. -3207: its condition holds already. */
  placeAlgoOrder(
    order: PlaceAlgoOrder,
    options?: CallOptions,
  ): Promise<Answer<"contract-place-algo-order">> {
    const body = { clientAlgoId: newClientId(), ...order };
    return this.#calls.call("contract-place-algo-order", { body }, options);
  }

  /** Cancels a conditional order that has not been triggered. */
  cancelAlgoOrder(
    query: Query<"contract-cancel-algo-order">,
    options?: CallOptions,
  ): Promise<Answer<"contract-cancel-algo-order">> {
    return this.#calls.call("contract-cancel-algo-order", { query }, options);
  }

  /** Cancels every conditional order of a market, or of all. */
  cancelAllAlgoOrders(
    query: Query<"contract-cancel-all-algo-orders"> = {},
    options?: CallOptions,
  ): Promise<Answer<"contract-cancel-all-algo-orders">> {
    return this.#calls.call("contract-cancel-all-algo-orders", { query }, options);
  }

  /** Places a take-profit or a stop-loss of a position. */
  placeTpSlOrder(
    order: PlaceTpSlOrder,
    options?: CallOptions,
  ): Promise<Answer<"contract-place-tp-sl-order">> {
    const body = { clientAlgoId: newClientId(), ...order };
    return this.#calls.call("contract-place-tp-sl-order", { body }, options);
  }

  /** Changes a take-profit or a stop-loss that has not been triggered. */
  modifyTpSlOrder(
    body: Body<"contract-modify-tp-sl-order">,
    options?: CallOptions,
  ): Promise<Answer<"contract-modify-tp-sl-order">> {
    return this.#calls.call("contract-modify-tp-sl-order", { body }, options);
  }

  /** Conditional orders that wait, newest first. */
  openAlgoOrders(
    query: Query<"contract-open-algo-orders"> = {},
    options?: CallOptions,
  ): Promise<AlgoOrder[]> {
    return this.#calls.call("contract-open-algo-orders", { query }, options);
  }

  /** Conditional orders that were triggered or ended, newest first. */
  algoOrderHistory(
    query: Query<"contract-all-algo-orders"> = {},
    options?: CallOptions,
  ): Promise<Answer<"contract-all-algo-orders">> {
    return this.#calls.call("contract-all-algo-orders", { query }, options);
  }
}

function withClientId(order: PlaceContractOrder): PlaceContractOrder {
  return { newClientOrderId: newClientId(), ...order };
}
