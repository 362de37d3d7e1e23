/**
 * Contract v3: market data, account, orders and positions. Quantities are in the base asset, money
 * in the margin asset, all as decimal text; times are Unix milliseconds.
 */
import type { ApiCalls } from "./api-calls.ts";
import { newClientId } from "./credentials.ts";
import { body, bodyWithId, call, classOf, optionalBody, optionalQuery, query } from "./methods.ts";
import type { CallOptions } from "./retries.ts";
import type { Answer, Body, Without } from "./route-types.ts";

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
export type PlaceContractOrder = Without<Body<"contract-place-order">, "newClientOrderId">;
export type PlacedContractOrder = Answer<"contract-place-order">;
export type AlgoOrder = Answer<"contract-open-algo-orders">[number];
export type EndedAlgoOrder = Answer<"contract-all-algo-orders">["orders"][number];
export type PlaceAlgoOrder = Without<Body<"contract-place-algo-order">, "clientAlgoId">;
export type PlaceTpSlOrder = Without<Body<"contract-place-tp-sl-order">, "clientAlgoId">;

const CONTRACT = {
  /** Exchange time. */
  serverTime: call("contract-time"),
  /** Rules of the markets: precisions, sizes, leverages, fees. */
  exchangeInfo: optionalQuery("contract-exchange-info"),
  /** Symbols that currently accept orders. */
  tradingSymbols: call("contract-api-trading-symbols"),
  /** The order book's best 15 or 200 levels; `lastUpdateId` is the `u` of the streams. */
  depth: query("contract-depth"),
  /** The rolling 24 hours with mark and index; all markets without a symbol. */
  tickers: optionalQuery("contract-ticker-24hr"),
  /** Best bids and asks, "0" where a side is empty. */
  bookTickers: optionalQuery("contract-book-ticker"),
  /** The latest trades, newest first. */
  trades: query("contract-trades"),
  /** The newest candles of trades, oldest first. */
  klines: query("contract-klines"),
  /** The newest candles of the index. */
  indexPriceKlines: query("contract-index-price-klines"),
  /** The newest candles of the mark. */
  markPriceKlines: query("contract-mark-price-klines"),
  /** Candles of a time range, of trades, index or mark. */
  historyKlines: query("contract-history-klines"),
  /** Index (default) or mark price, "0" before the first. */
  symbolPrice: query("contract-symbol-price"),
  /** Size of all open positions of one side, in the base asset. */
  openInterest: query("contract-open-interest"),
  /** Mark, index, time of the next funding and its estimated rate. Rates are fractions. */
  premiumIndex: optionalQuery("contract-premium-index"),
  /** Past fundings, newest first; a range of at most 7 days. */
  fundingRates: query("contract-funding-rate"),
  /** The contract wallet, by margin asset. */
  balance: call("contract-balance"),
  /** Permissions of the account. */
  accountConfig: call("contract-account-config"),
  /** Margin mode and leverages, of one market or all. */
  symbolConfig: optionalQuery("contract-symbol-config"),
  /** The caller's fee rates in a market, as fractions. */
  commissionRate: query("contract-commission-rate"),
  /**
   * Changes leverages of a market. -3208: an opening order is pending; -3313: above the maximum.
   */
  setLeverage: body("contract-leverage"),
  /** Changes the margin mode of a market. -3209: there is an open order or position. */
  setMarginType: body("contract-margin-type"),
  /** Adds margin to an isolated position (type 1) or removes some (2). Never repeated. */
  changePositionMargin: body("contract-position-margin"),
  /** Whether an isolated position takes margin from the wallet before it is liquidated. */
  setAutoAppendMargin: body("contract-auto-append-margin"),
  /** Changes of the contract wallet, newest first; `nextKey` leads to the next page. */
  income: optionalBody("contract-income"),
  /** Open positions of all markets. */
  positions: call("contract-all-positions"),
  /** Open positions of one market. */
  positionsOf: query("contract-single-position"),
  /**
   * Places an order. BUY LONG and SELL SHORT open, SELL LONG and BUY SHORT close. Without
   * `newClientOrderId` one is generated. -3201 margin, -3202 more than can be closed, -3206
   * position limit, -1160 off tick or step.
   */
  placeOrder: bodyWithId("contract-place-order", "newClientOrderId"),
  /** Whether an order would be accepted now; changes nothing. Parameters as in `placeOrder`. */
  testOrder: bodyWithId("contract-test-order", "newClientOrderId"),
  /**
   * Changes price or quantity of an open limit order under the same id. It keeps its place in the
   * queue if only the quantity falls. If rejected, it stays as it was.
   */
  amendOrder: body("contract-amend-order"),
  /**
   * Cancels every open order, including conditional ones, after `countdownMs`, unless it is called
   * again before; 0 switches it off. Protects a client that may lose its connection.
   */
  cancelAllAfter: body("contract-cancel-all-after"),
  /** Active countdowns. */
  countdowns: call("contract-countdowns"),
  /** Places up to five orders; each row of the answer says whether it was accepted. */
  placeOrders:
    (calls: ApiCalls) => (orders: readonly PlaceContractOrder[], options?: CallOptions) => {
      const batchOrders = orders.map((order) => {
        return { newClientOrderId: newClientId(calls.runtime), ...order };
      });
      return calls.call("contract-place-orders", { body: { batchOrders } }, options);
    },
  /** One order, open or ended. -2200: not found. */
  order: query("contract-order"),
  /**
   * Cancels an open order. -2200: it is not open; with `attempts` > 1 this call may have cancelled
   * it.
   */
  cancelOrder: query("contract-cancel-order"),
  /** Cancels up to ten orders; each row of the answer says whether it was cancelled. */
  cancelOrders: body("contract-cancel-orders"),
  /** Cancels every open order of a market, or of all. Not repeated when the answer is lost. */
  cancelAllOrders: optionalQuery("contract-cancel-all-orders"),
  /** Closes positions at market price: of a symbol, one by id, or all. Never repeated. */
  closePositions: optionalBody("contract-close-positions"),
  /** Open orders, by ascending order id. */
  openOrders: optionalQuery("contract-open-orders"),
  /** Ended orders, newest first; a range of at most 90 days. */
  orderHistory: optionalQuery("contract-order-history"),
  /** The caller's fills, newest first. */
  userTrades: optionalQuery("contract-user-trades"),
  /** Places a conditional order. -3207: its condition is already met. */
  placeAlgoOrder: bodyWithId("contract-place-algo-order", "clientAlgoId"),
  /** Cancels a conditional order that has not been triggered. */
  cancelAlgoOrder: query("contract-cancel-algo-order"),
  /** Cancels every conditional order of a market, or of all. */
  cancelAllAlgoOrders: optionalQuery("contract-cancel-all-algo-orders"),
  /** Places a take-profit or a stop-loss of a position. */
  placeTpSlOrder: bodyWithId("contract-place-tp-sl-order", "clientAlgoId"),
  /** Changes a take-profit or a stop-loss that has not been triggered. */
  modifyTpSlOrder: body("contract-modify-tp-sl-order"),
  /** Waiting conditional orders, newest first. */
  openAlgoOrders: optionalQuery("contract-open-algo-orders"),
  /** Triggered and ended conditional orders, newest first. */
  algoOrderHistory: optionalQuery("contract-all-algo-orders"),
};

export class ContractClient extends classOf(CONTRACT) {}
