/**
 * Proves that an unmodified public client reads every v3 spot answer as it is meant: ccxt's `weex`
 * signs, sends and parses, and its requests go through the real gateway to an exchange in memory,
 * without a socket. Each figure that it returns is compared with the fixture; refusals arrive as
 * its error classes.
 */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import ccxt, { type weex } from "ccxt";
import { CALLER_UID } from "../../../test/support/endpoint-call.ts";
import { DOUBLE_TIME_MS, ExchangeDouble } from "../../../test/support/exchange-double.ts";
import {
  createGatewayDouble,
  DOUBLE_CREDENTIALS,
  type Gateway,
} from "../../../test/support/gateway-double.ts";
import { ENGINE, HISTORY } from "../../../test/support/spot-fixture.ts";
import { reject } from "../../domain/index.ts";

const BTC = "BTC/USDT";
const BASE_ADDRESS = "http://rialto.test";

let exchange: ExchangeDouble;
let gateway: Gateway;
let client: weex;

interface Sent {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** What ccxt takes for the network. */
function injectInto(app: Gateway) {
  return async (url: string, { method, headers, body }: Sent): Promise<Response> => {
    const answer = await app.inject({
      method,
      url: url.slice(BASE_ADDRESS.length),
      headers,
      ...(body === undefined ? {} : { payload: body }),
    });
    const { statusCode: status, statusMessage: statusText } = answer;
    return new Response(answer.body, {
      status,
      statusText,
      headers: { "Content-Type": String(answer.headers["content-type"]) },
    });
  };
}

function clientOf(app: Gateway): weex {
  const { apiKey, secret, passphrase } = DOUBLE_CREDENTIALS;
  const made = new ccxt.weex({ apiKey, secret, password: passphrase, enableRateLimit: false });
  const api = made.urls.api as Record<string, string>;
  for (const name of Object.keys(api)) {
    if (typeof api[name] === "string") api[name] = BASE_ADDRESS;
  }
  made.fetchImplementation = injectInto(app);
  return made;
}

before(async () => {
  exchange = new ExchangeDouble(ENGINE, HISTORY);
  gateway = createGatewayDouble(exchange, CALLER_UID);
  client = clientOf(gateway);
  await client.loadMarkets();
});
after(() => gateway.close());

/** The named fields of what ccxt made. */
function fields(made: object, expected: object): void {
  assert.partialDeepStrictEqual(made, expected);
}

test("status, time, currencies", async () => {
  assert.equal((await client.fetchStatus()).status, "ok");
  assert.equal(await client.fetchTime(), DOUBLE_TIME_MS);
  const currencies = (await client.fetchCurrencies()) as Record<string, object>;
  assert.deepEqual(Object.keys(currencies), ["BTC", "USDT", "ETH"]);
  fields(currencies.USDT as object, { id: "USDT", name: "Tether", deposit: false });
});

test("markets", () => {
  assert.deepEqual(Object.keys(client.markets ?? {}), [BTC, "ETH/USDT"]);
  fields(client.market(BTC), {
    id: "BTCUSDT",
    type: "spot",
    active: true,
    maker: 0.001,
    taker: 0.0012,
    precision: { amount: 0.00001, price: 0.01 },
    limits: { amount: { min: 0.0001, max: 9000 } },
  });
  fields(client.market("ETH/USDT"), { active: false, precision: { amount: 0.001, price: 0.05 } });
});

test("tickers", async () => {
  const expected = {
    symbol: BTC,
    timestamp: DOUBLE_TIME_MS,
    high: 101_000,
    low: 98_000,
    bid: 98_999.99,
    bidVolume: 0.25,
    ask: 99_000.01,
    askVolume: 0.5,
    open: 100_000,
    close: 99_000,
    last: 99_000,
    change: -1000,
    percentage: -1,
    baseVolume: 1.5,
    quoteVolume: 149_500,
  };
  fields(await client.fetchTicker(BTC), expected);
  fields((await client.fetchTickers())[BTC] as object, expected);
  fields((await client.fetchBidsAsks())[BTC] as object, { bid: 98_999.99, askVolume: 0.5 });
  const last = (await client.fetchLastPrices()) as Record<string, object>;
  fields(last[BTC] as object, { symbol: BTC, price: 99_000 });
});

test("order book, trades, candles", async () => {
  for (const limit of [undefined, 5, 15, 16, 200]) {
    const book = await client.fetchOrderBook(BTC, limit);
    assert.deepEqual(book.bids, [
      [98_999.99, 0.25],
      [98_000, 0.3],
    ]);
    assert.deepEqual(book.asks, [[99_000.01, 0.5]]);
    assert.equal(book.nonce, 31);
  }
  const [trade] = await client.fetchTrades(BTC, undefined, 5000);
  fields(trade as object, {
    id: "12",
    timestamp: DOUBLE_TIME_MS - 900,
    symbol: BTC,
    side: "sell",
    takerOrMaker: "taker",
    price: 99_000,
    amount: 0.1,
    cost: 9900,
  });
  for (const timeframe of Object.keys(client.timeframes)) {
    const candles = await client.fetchOHLCV(BTC, timeframe);
    const first = [DOUBLE_TIME_MS - 20_000, 99_500, 99_600, 98_900, 99_000, 0.3];
    assert.deepEqual(candles, [first]);
  }
});

test("balance", async () => {
  const balance = await client.fetchBalance();
  assert.deepEqual(balance.USDT, { free: 500.25, used: 29_400, total: 29_900.25 });
  assert.deepEqual(balance.BTC, { free: 1.5, used: 0, total: 1.5 });
});

test("placing orders", async () => {
  const placed = await client.createOrder(BTC, "limit", "buy", 0.5, 98_000, {
    timeInForce: "POST_ONLY",
    clientOrderId: "mine-78",
  });
  fields(placed, { id: "78", clientOrderId: "mine-78", symbol: BTC, timestamp: DOUBLE_TIME_MS });
  assert.partialDeepStrictEqual(exchange.commands.at(-1), {
    type: "place-spot-order",
    side: "BUY",
    orderType: "LIMIT",
    timeInForce: "POST_ONLY",
    price: "98000",
    quantity: "0.5",
  });
  const market = await client.createOrder(BTC, "market", "sell", 0.1);
  assert.match(market.clientOrderId as string, /^b-WEEX111125-/);
  assert.partialDeepStrictEqual(exchange.commands.at(-1), {
    side: "SELL",
    orderType: "MARKET",
    timeInForce: "IOC",
    quantity: "0.1",
    quantityUnit: "base",
  });
});

const OPEN = {
  id: "77",
  clientOrderId: "mine-77",
  symbol: BTC,
  status: "open",
  type: "limit",
  timeInForce: "GTC",
  side: "buy",
  price: 98_000,
  amount: 0.5,
  filled: 0.2,
  remaining: 0.3,
  cost: 19_600,
  average: 98_000,
  timestamp: DOUBLE_TIME_MS - 500,
  lastUpdateTimestamp: DOUBLE_TIME_MS - 400,
};

const ENDED = {
  id: "70",
  clientOrderId: "mine-70",
  symbol: BTC,
  status: "closed",
  type: "market",
  timeInForce: "IOC",
  side: "sell",
  amount: 0.1,
  filled: 0.1,
  remaining: 0,
  cost: 9900,
  average: 99_000,
};

test("reading orders", async () => {
  fields(await client.fetchOrder("77", BTC), OPEN);
  fields(await client.fetchOrder("70"), ENDED);
  const byClientId = { clientOrderId: "mine-70" };
  fields(await client.fetchOrder(undefined as never, BTC, byClientId), ENDED);
  const open = await client.fetchOpenOrders(BTC);
  assert.equal(open.length, 1);
  fields(open[0] as object, OPEN);
  assert.equal((await client.fetchOpenOrders()).length, 1);
  const all = await client.fetchOrders(BTC);
  fields(all, [ENDED, OPEN]);
  fields(await client.fetchClosedOrders(BTC), [ENDED]);
  assert.deepEqual(await client.fetchCanceledOrders(BTC), []);
});

test("cancelling orders", async () => {
  fields(await client.cancelOrder("77", BTC), { id: "77", status: "canceled" });
  const byClientId = { clientOrderId: "mine-77" };
  const cancelled = await client.cancelOrder(undefined as never, BTC, byClientId);
  fields(cancelled, { id: "77", clientOrderId: "mine-77", status: "canceled" });
  fields(await client.cancelOrders(["77"], BTC), [{ id: "77", status: "canceled", symbol: BTC }]);
  fields(await client.cancelAllOrders(BTC), [{ id: "77", status: "canceled" }]);
});

test("fills, ledger, transfers", async () => {
  const [fill] = await client.fetchMyTrades(BTC, undefined, 100);
  fields(fill as object, {
    id: "12",
    order: "70",
    side: "sell",
    takerOrMaker: "taker",
    price: 99_000,
    amount: 0.1,
    cost: 9900,
    fee: { cost: 11.88, currency: "USDT" },
  });
  assert.equal((await client.fetchOrderTrades("70", BTC)).length, 1);
  const until = { until: DOUBLE_TIME_MS };
  fields(await client.fetchLedger("USDT", 1, 100, until), [
    {
      id: "5",
      timestamp: DOUBLE_TIME_MS - 900,
      direction: "in",
      type: "trade",
      currency: "USDT",
      amount: 9888.12,
      before: 1000,
      after: 10_888.12,
      fee: { cost: 11.88, currency: "USDT" },
    },
  ]);
  fields(await client.fetchLedger(undefined, 1, 100, { ...until, type: "funding" }), [
    { id: "3", direction: "out", type: "withdrawal", currency: "USDT", amount: 250.5 },
  ]);
  fields(await client.fetchTransfers("USDT", 1, 100, until), [
    {
      timestamp: DOUBLE_TIME_MS - 600,
      currency: "USDT",
      amount: 20,
      fromAccount: "spot",
      toAccount: "contract",
      status: "ok",
    },
  ]);
});

type ErrorClass = new (...message: [string]) => Error;

async function refused(promise: Promise<unknown>, kind: ErrorClass, code: number): Promise<void> {
  await assert.rejects(promise, (error: Error) => {
    assert.equal(error.constructor, kind, error.message);
    assert.ok(error.message.includes(`"code":${code},`), error.message);
    return true;
  });
}

test("refusals arrive as the client's error classes", async () => {
  const order = (params: object) => client.createOrder(BTC, "limit", "buy", 0.5, 98_000, params);
  const { BadRequest, BadSymbol, InvalidOrder, OrderNotFound } = ccxt;
  await refused(client.fetchOrder("71", BTC), OrderNotFound, -2200);
  await refused(client.cancelOrder("71", BTC), OrderNotFound, -2200);
  await assert.rejects(client.cancelOrders(["77", "71"], BTC), OrderNotFound);
  await refused(client.fetchOrderBook(BTC, 15, { symbol: "btcusdt" }), BadSymbol, -1121);
  await refused(client.fetchTicker(BTC, { symbols: "ETHUSDT" }), BadRequest, -1128);
  await refused(client.fetchTrades(BTC, undefined, 1, { limit: 1001 }), BadRequest, -1140);
  await refused(client.fetchOrderBook(BTC, 15, { limit: 16 }), BadRequest, -1140);
  await refused(client.fetchOrders(BTC, 2, undefined, { until: 1 }), BadRequest, -1171);
  await refused(client.fetchOrder("", BTC), BadRequest, -1140);
  await refused(order({ side: "buy" }), InvalidOrder, -1117);
  await refused(order({ type: "STOP" }), InvalidOrder, -1116);
  await refused(order({ timeInForce: "GTX" }), InvalidOrder, -1115);
  await refused(order({ clientOrderId: "a b" }), InvalidOrder, -1180);
  await refused(order({ price: null }), ccxt.ArgumentsRequired, -1141);
  await refused(order({ quantity: "1e3" }), BadRequest, -1142);
});

test("a refusal of the engine, and a key that may only read", async () => {
  const poor = new ExchangeDouble({
    ...ENGINE,
    "place-spot-order": () => reject("insufficient-balance", "quantity"),
  });
  const open = createGatewayDouble(poor, CALLER_UID);
  const order = (app: Gateway) => clientOf(app).createOrder(BTC, "limit", "buy", 0.5, 98_000);
  await refused(order(open), ccxt.InsufficientFunds, -2201);
  await open.close();
  const readOnly = createGatewayDouble(exchange, CALLER_UID, ["read"]);
  fields(await clientOf(readOnly).fetchOrder("77", BTC), OPEN);
  await refused(order(readOnly), ccxt.PermissionDenied, -1052);
  await readOnly.close();
});
