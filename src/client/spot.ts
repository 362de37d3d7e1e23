/** Spot v3: market data, account and trading. Amounts are decimal text, times Unix milliseconds. */
import type { ApiCalls } from "./api-calls.ts";
import { newClientId } from "./credentials.ts";
import { body, bodyWithId, call, classOf, optionalBody, optionalQuery, query } from "./methods.ts";
import type { CallOptions } from "./retries.ts";
import type { Answer, Body, PlacedSpotRow, Query, Without } from "./route-types.ts";

export type SpotOrder = Answer<"v3-order">;
export type PlaceSpotOrder = Body<"v3-place-order">;
export type PlacedSpotOrder = Answer<"v3-place-order">;
export type SpotSymbol = Answer<"v3-exchange-info">["symbols"][number];
export type SpotTicker = Answer<"v3-ticker-24hr">[number];
export type SpotBookTicker = Answer<"v3-book-ticker">[number];
export type SpotTrade = Answer<"v3-trades">[number];
export type SpotFill = Answer<"v3-my-trades">[number];
export type SpotAccount = Answer<"v3-account">;
export type Withdrawal = Answer<"v3-withdrawals">[number];
export type Deposit = Answer<"v3-deposits">[number];
export type ApiKey = Answer<"v3-api-keys">[number];
export type Depth = Answer<"v3-depth">;
/** Price and quantity. */
export type BookLevel = Depth["bids"][number];
/** `[openTime, open, high, low, close, volume, closeTime, quoteVolume, trades, takerBuy…]` */
export type Candle = Answer<"v3-klines">[number];

/** An order id, or the caller's own; the order id decides when both are given. */
export type SpotOrderKey = Query<"v3-order">;

const SPOT = {
  /** Exchange time. */
  serverTime: call("v3-server-time"),
  /** Answers when the exchange is reachable. */
  ping: call("v3-ping"),
  /** Every listed asset. */
  coins: call("v3-coins"),
  /** Rules of the markets: tick, step, minimum and maximum amounts, fees. -1121: unknown symbol. */
  exchangeInfo: optionalQuery("v3-exchange-info"),
  /** Symbols that currently accept orders. */
  tradingSymbols: call("v3-api-trading-symbols"),
  /** Last prices, "0" before a market's first trade; all markets without a symbol. */
  prices: optionalQuery("v3-ticker-price"),
  /** The rolling 24 hours; all markets without a symbol. */
  tickers: optionalQuery("v3-ticker-24hr"),
  /** Best bids and asks, "0" where a side is empty. */
  bookTickers: optionalQuery("v3-book-ticker"),
  /** The order book's best 15 or 200 levels; `lastUpdateId` is the `u` of the streams. */
  depth: query("v3-depth"),
  /** Candles, oldest first, without gaps; by default the newest 300. */
  klines: query("v3-klines"),
  /** The latest trades, newest first. */
  trades: query("v3-trades"),
  /** Balances and fee rates of the spot wallet. */
  account: call("v3-account"),
  /** Changes of the spot wallet, newest first. `deltaAmount` is signed. */
  bills: optionalBody("v3-bills"),
  /** Deposits and withdrawals of both wallets, newest first, in pages. */
  fundingBills: optionalBody("v3-funding-bills"),
  /** Transfers between the wallets, newest first. */
  transfers: optionalQuery("v3-transfer-records"),
  /**
   * Moves funds between the wallets, once for each `clientTransferId`, which is generated if it is
   * missing. -2201: not enough available. Needs the permission `contract`.
   */
  transfer: bodyWithId("v3-transfer", "clientTransferId"),
  /**
   * Test funds for the caller, once for each `clientFaucetId`, which is generated if it is missing.
   * -1053: the exchange is not a sandbox.
   */
  faucet: bodyWithId("v3-faucet", "clientFaucetId"),
  /**
   * Places an order. `quantity` is in the base asset, `price` on the market's tick. Without
   * `newClientOrderId` one is generated, so that a retry after a lost answer finds the first order.
   * -1121 symbol, -1160 off tick or step, -2201 balance, -2203 price band, -2204 and -2205 size,
   * -2202 the client id was used for another order.
   */
  placeOrder: bodyWithId("v3-place-order", "newClientOrderId"),
  /** Whether an order would be accepted now; changes nothing. Parameters as in `placeOrder`. */
  testOrder: bodyWithId("v3-test-order", "newClientOrderId"),
  /**
   * Places up to ten orders; each row of the answer says whether it was accepted. Only with the
   * option `transport: "websocket"`.
   */
  placeOrders:
    (calls: ApiCalls) =>
    (
      orders: readonly Without<PlaceSpotOrder, "newClientOrderId">[],
      options?: CallOptions,
    ): Promise<readonly PlacedSpotRow[]> =>
      calls.placeSpotOrders(
        orders.map((order) => ({ newClientOrderId: newClientId(calls.runtime), ...order })),
        options,
      ),
  /**
   * Changes price or quantity of an open limit order under the same id. It keeps its place in the
   * queue if only the quantity falls. If rejected, it stays as it was.
   */
  amendOrder: body("v3-amend-order"),
  /**
   * Cancels every open order after `countdownMs`, unless it is called again before; 0 switches it
   * off. Protects a client that may lose its connection.
   */
  cancelAllAfter: body("v3-cancel-all-after"),
  /** Active countdowns. */
  countdowns: call("v3-countdowns"),
  /** One order, open or ended. -2200: not found. */
  order: query("v3-order"),
  /**
   * Cancels an open order. -2200: it is not open; after a retry the first attempt may have done it.
   */
  cancelOrder: query("v3-cancel-order"),
  /** Cancels up to ten orders; each row of the answer says whether it was cancelled. */
  cancelOrders: body("v3-cancel-orders"),
  /** Open orders, newest first; all markets without a symbol. */
  openOrders: optionalQuery("v3-open-orders"),
  /** Cancels every open order of a market. Not repeated automatically when the answer is lost. */
  cancelOpenOrders: query("v3-cancel-open-orders"),
  /** Open and ended orders of a market, newest first, in pages from 1. */
  allOrders: query("v3-all-orders"),
  /** The caller's fills in a market, newest first. The fee is in the asset received. */
  myTrades: query("v3-my-trades"),
  /**
   * Requests a withdrawal to an address of the book, once for each `clientWithdrawalId`, which is
   * generated if it is missing. The amount is frozen until it is done or comes back. -1058: the
   * asset takes none; -1140: on hold, over a limit or below the minimum; -2201: balance. Needs the
   * permission `withdraw`, as the calls below that change something.
   */
  withdraw: bodyWithId("v3-withdraw", "clientWithdrawalId"),
  /** One withdrawal with its steps. -1142: not found. */
  withdrawal: query("v3-withdrawal"),
  /** Withdrawals, newest first. For the next page, send the last id as `beforeId`. */
  withdrawals: optionalQuery("v3-withdrawals"),
  /** Takes back a withdrawal that is not decided yet; it ends as `REJECTED`. */
  cancelWithdrawal: query("v3-cancel-withdrawal"),
  /** Deposits that were reported from networks, newest first, also those not credited yet. */
  deposits: optionalQuery("v3-deposits"),
  /** The address book, oldest first. */
  withdrawalAddresses: call("v3-withdrawal-addresses"),
  /** Adds an address, which can be used from `usableFrom` on. A known one returns its entry. */
  addWithdrawalAddress: body("v3-add-withdrawal-address"),
  /** Removes an address; open withdrawals to it stay. -1142: not found. */
  removeWithdrawalAddress: query("v3-remove-withdrawal-address"),

  /** The caller's API keys, without secrets. */
  apiKeys: call("v3-api-keys"),
  /**
   * Makes an API key with at most the rights of the one that signs, which needs the permission
   * `keys`. Only this answer has the secret. -1052: more than the key that signs has.
   */
  createApiKey: body("v3-create-api-key"),
  /** Ends a key that a user made. -1142: no such key. */
  revokeApiKey: query("v3-revoke-api-key"),
};

export class SpotClient extends classOf(SPOT) {}
