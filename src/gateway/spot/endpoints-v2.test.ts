/**
 * Proves the golden wire of the four v2 endpoints: which commands and questions a request becomes,
 * and the whole answers, with a scripted engine behind the real gateway.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  EXCHANGE_MS,
  type FakeGateway,
  fakeGateway,
  ORDER,
  placeOrderRequest,
  send,
  UID,
} from "../../../test/support/gateway.ts";
import { accept, type RejectReason, reject } from "../../domain/index.ts";

type Fields = Readonly<Record<string, unknown>>;

const COMMAND = {
  type: "place-spot-order",
  uid: UID,
  symbol: "BTCUSDT",
  side: "BUY",
  orderType: "LIMIT",
  timeInForce: "GTC",
  price: "65000.1",
  quantity: "0.001",
  quantityUnit: "base",
  clientOrderId: "c-1",
};

function success(data: unknown): unknown {
  return { code: "00000", msg: "success", requestTime: EXCHANGE_MS, data };
}

async function place(gateway: FakeGateway, change: Fields) {
  const response = await send(gateway.app, placeOrderRequest(change));
  return { response, command: gateway.engine.commands.pop() };
}

function cancel({ app }: FakeGateway, body: Fields) {
  const url = "/api/v2/trade/cancel-order";
  return send(app, {
    method: "POST",
    url,
    body: JSON.stringify({ symbol: ORDER.symbol, ...body }),
  });
}

test("Place Order: the command that the engine hears, and the whole answer", async () => {
  const gateway = fakeGateway();
  const { response, command } = await place(gateway, {});
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers["content-type"], "application/json; charset=utf-8");
  assert.deepEqual(response.json(), success({ orderId: 7, clientOrderId: "c-1" }));
  assert.deepEqual(command, COMMAND);
  const cases: readonly (readonly [change: Fields, command: object])[] = [
    [{ symbol: "btcusdt" }, {}],
    [{ symbol: "BtcUsdt_spbl" }, {}],
    [{ side: "SELL" }, { side: "SELL" }],
    [{ side: "bUy" }, {}],
    [{ orderType: "LIMIT" }, {}],
    [{ orderType: "Limit" }, {}],
    [{ force: "postOnly" }, { timeInForce: "POST_ONLY" }],
    [{ force: "fok" }, { timeInForce: "FOK" }],
    [{ force: "ioc" }, { timeInForce: "IOC" }],
    [{ surprise: [{ a: 1 }] }, {}],
  ];
  for (const [change, expected] of cases) {
    assert.deepEqual((await place(gateway, change)).command, { ...COMMAND, ...expected });
  }
  const market = { ...COMMAND, orderType: "MARKET", timeInForce: "IOC", price: "" };
  for (const price of ["0", "1.5", "", null, undefined]) {
    const buy = await place(gateway, { orderType: "market", force: "fok", price });
    assert.deepEqual(buy.command, { ...market, quantityUnit: "quote" });
    const sell = await place(gateway, { orderType: "MARKET", side: "sell", force: "gtc", price });
    assert.deepEqual(sell.command, { ...market, side: "SELL" });
  }
});

test("Place Order: missing fields first, then the first of the table", async () => {
  const gateway = fakeGateway();
  const cases: readonly (readonly [change: Fields, code: string, field: string])[] = [
    [{ symbol: undefined, side: undefined }, "40019", "symbol"],
    [{ side: 1, quantity: undefined }, "40019", "quantity"],
    [{ side: "hold", quantity: "x" }, "40020", "side"],
    [{ orderType: "stop" }, "40020", "orderType"],
    [{ force: "gtc" }, "40020", "force"],
    [{ price: undefined }, "40019", "price"],
    [{ price: null }, "40019", "price"],
    [{ price: "" }, "40019", "price"],
    [{ price: 65000.1 }, "40020", "price"],
    [{ price: "1e3" }, "40020", "price"],
    [{ quantity: "-1" }, "40020", "quantity"],
    [{ quantity: " 1" }, "40020", "quantity"],
    [{ quantity: "１" }, "40020", "quantity"],
    [{ quantity: "" }, "40019", "quantity"],
    [{ clientOrderId: null }, "40019", "clientOrderId"],
    [{ clientOrderId: "a b" }, "40017", "clientOrderId"],
    [{ clientOrderId: "x".repeat(41) }, "40017", "clientOrderId"],
    [{ symbol: "BTC/USDT" }, "40034", "symbol"],
    [{ symbol: 7 }, "40020", "symbol"],
  ];
  for (const [change, code, field] of cases) {
    const { response, command } = await place(gateway, change);
    assert.equal(response.statusCode, 400);
    const { msg, ...rest } = response.json();
    assert.deepEqual(rest, { code, requestTime: EXCHANGE_MS, data: null }, JSON.stringify(change));
    assert.match(msg, new RegExp(`: ${field}\\b`));
    assert.equal(command, undefined);
  }
});

test("Place Order: a refusal of the engine has its code, and a closed engine is 503", async () => {
  const gateway = fakeGateway();
  const codes: readonly (readonly [RejectReason, string])[] = [
    ["unknown-symbol", "40034"],
    ["insufficient-balance", "43012"],
    ["quantity-below-minimum", "43006"],
    ["notional-below-minimum", "45110"],
    ["price-outside-band", "43011"],
    ["duplicate-client-order-id", "40017"],
    ["user-frozen", "40013"],
  ];
  for (const [reason, code] of codes) {
    gateway.engine.answer = reject(reason, "quantity");
    const { response } = await place(gateway, {});
    assert.deepEqual([response.statusCode, response.json().code], [400, code]);
  }
  for (const unavailable of ["overloaded", "disk-nearly-full", "stopping"] as const) {
    gateway.engine.answer = { unavailable };
    const { response } = await place(gateway, {});
    assert.deepEqual([response.statusCode, response.json().code], [503, "40015"]);
    assert.equal(response.headers["retry-after"], "1");
  }
});

test("Cancel Order: by either id, as text or number", async () => {
  const gateway = fakeGateway();
  gateway.engine.answer = {
    ok: true,
    value: { orderId: 7, clientOrderId: "c-1", symbol: "BTCUSDT", bookVersion: 1 },
  };
  const by = { type: "cancel-spot-order", uid: UID, symbol: "BTCUSDT" };
  const cases: readonly (readonly [
    body: Fields,
    orderId: number | null,
    clientId: string | null,
  ])[] = [
    [{ orderId: "7" }, 7, null],
    [{ orderId: 7 }, 7, null],
    [{ clientOid: "c-1" }, null, "c-1"],
    [{ orderId: "7", clientOid: "other" }, 7, null],
    [{ orderId: "", clientOid: "c-1" }, null, "c-1"],
    [{ orderId: null, clientOid: "c-1" }, null, "c-1"],
  ];
  for (const [body, orderId, clientOrderId] of cases) {
    const response = await cancel(gateway, body);
    const data = {
      order_id: "7",
      client_oid: "c-1",
      symbol: "BTCUSDT_SPBL",
      result: true,
      err_code: null,
      err_msg: null,
    };
    assert.deepEqual(response.json(), success(data));
    assert.deepEqual(gateway.engine.commands.pop(), { ...by, orderId, clientOrderId });
  }
});

test("Cancel Order: an order that cannot be cancelled is told inside the answer", async () => {
  const gateway = fakeGateway();
  const failure = {
    order_id: "8",
    client_oid: null as string | null,
    symbol: "BTCUSDT_SPBL",
    result: false,
    err_code: "43001",
    err_msg: "FAILED_ORDER_NOT_FOUND: Order does not exist",
  };
  gateway.engine.answer = reject("order-not-found");
  const response = await cancel(gateway, { orderId: "8" });
  assert.equal(response.statusCode, 200);
  assert.deepEqual(response.json(), success(failure));
  const byClientId = await cancel(gateway, { clientOid: "c-9" });
  assert.deepEqual(byClientId.json(), success({ ...failure, order_id: "", client_oid: "c-9" }));
  const calls = gateway.engine.calls;
  for (const orderId of ["602876318261969338", "9223372036854775807"]) {
    const foreign = await cancel(gateway, { orderId });
    assert.deepEqual(foreign.json(), success({ ...failure, order_id: orderId }));
  }
  assert.equal(gateway.engine.calls, calls, "an id that was never issued is not asked about");
  gateway.engine.answer = reject("market-halted", "symbol");
  const halted = { ...failure, err_code: "43115", err_msg: "The market is halted: symbol" };
  assert.deepEqual((await cancel(gateway, { orderId: "8" })).json(), success(halted));
});

test("Cancel Order: requests that are refused as a whole", async () => {
  const gateway = fakeGateway();
  const cases: readonly (readonly [body: Fields, code: string])[] = [
    [{}, "40913"],
    [{ orderId: "", clientOid: null }, "40913"],
    [{ symbol: undefined, orderId: "7" }, "40019"],
    [{ orderId: "7a" }, "40020"],
    [{ orderId: -7 }, "40020"],
    [{ orderId: 1.5 }, "40020"],
    [{ orderId: 2 ** 53 }, "40020"],
    [{ orderId: true }, "40020"],
    [{ clientOid: "ä" }, "40017"],
    [{ symbol: "BTC-USDT", orderId: "7" }, "40034"],
  ];
  for (const [body, code] of cases) {
    const response = await cancel(gateway, body);
    assert.deepEqual([response.statusCode, response.json().code], [400, code]);
  }
  assert.equal(gateway.engine.calls, 0);
  for (const [reason, code] of [
    ["unknown-symbol", "40034"],
    ["user-frozen", "40013"],
  ] as const) {
    gateway.engine.answer = reject(reason);
    assert.equal((await cancel(gateway, { orderId: "7" })).json().code, code);
  }
});

test("Get Account Assets: every field, in the engine's order", async () => {
  const gateway = fakeGateway();
  const amounts = { available: "1.5", frozen: "0.25", equity: "1.75" };
  gateway.engine.answer = {
    ok: true,
    value: [
      { asset: "BTC", coinId: 1, ...amounts },
      { asset: "USDT", coinId: 2, ...amounts },
    ],
  };
  const response = await send(gateway.app, { method: "GET", url: "/api/v2/account/assets" });
  assert.deepEqual(
    response.json(),
    success([
      { coinId: 1, coinName: "BTC", ...amounts },
      { coinId: 2, coinName: "USDT", ...amounts },
    ]),
  );
  assert.deepEqual(gateway.engine.queries, [{ type: "spot-balances", uid: UID }]);
});

const DAY = {
  symbol: "BTCUSDT",
  priceChange: "-10.5",
  priceChangePercent: "-0.0105",
  trades: 12,
  baseVolume: "3.5",
  quoteVolume: "3400",
  high: "1010",
  low: "980",
  open: "1000",
  close: "989.5",
  highMs: 11,
  lowMs: 12,
  windowStartMs: 13,
  windowEndMs: 14,
  lastPrice: "989.5",
  bidPrice: "989",
  bidQuantity: "1",
  askPrice: "990",
  askQuantity: "2",
};

const CONTRACT_PRICES = {
  symbol: "BTCUSDT",
  markPrice: "990.1",
  indexPrice: "990",
  indexMs: EXCHANGE_MS,
  isStale: false,
  isPinned: false,
  lastPrice: "991",
  openInterest: "12.5",
  forecastFundingRate: "0.0001",
  lastFundingRate: "0",
  interestRate: "0.0001",
  nextFundingMs: EXCHANGE_MS + 1,
  fundingIntervalMinutes: 480,
};

test("Get Single Ticker: nineteen fields, unsigned, the symbol as asked for", async () => {
  const gateway = fakeGateway();
  gateway.engine.answer = (asked) =>
    asked.type === "spot-tickers" ? accept([DAY]) : reject("unknown-symbol", "symbol");
  for (const symbol of ["BTCUSDT", "btcusdt_SPBL"]) {
    const response = await gateway.app.inject(`/api/v2/market/ticker?symbol=${symbol}`);
    const { requestTime, data } = response.json();
    assert.equal(requestTime, EXCHANGE_MS);
    assert.deepEqual(data, {
      symbol,
      priceChange: "-10.5",
      priceChangePercent: "-0.0105",
      trades: 12,
      size: "3.5",
      value: "3400",
      high: "1010",
      low: "980",
      open: "1000",
      close: "989.5",
      highTime: 11,
      lowTime: 12,
      startTime: 13,
      endTime: 14,
      lastPrice: "989.5",
      markPrice: "0",
      indexPrice: "0",
      openInterest: "0",
      ts: EXCHANGE_MS,
    });
    assert.equal(Object.keys(data).length, 19);
    assert.deepEqual(gateway.engine.queries.splice(0), [
      { type: "spot-tickers", symbol: "BTCUSDT" },
      { type: "contract-prices", symbol: "BTCUSDT" },
    ]);
  }
});

test("Get Single Ticker: mark, index and open interest of the contract of the name", async () => {
  const gateway = fakeGateway();
  gateway.engine.answer = (asked) =>
    asked.type === "spot-tickers" ? accept([DAY]) : accept([CONTRACT_PRICES]);
  const response = await gateway.app.inject("/api/v2/market/ticker?symbol=BTCUSDT_SPBL");
  const { markPrice, indexPrice, openInterest, lastPrice } = response.json().data;
  assert.deepEqual([markPrice, indexPrice, openInterest], ["990.1", "990", "12.5"]);
  assert.equal(lastPrice, "989.5", "the last price is that of the spot market");
  gateway.engine.answer = (asked) =>
    asked.type === "spot-tickers" ? accept([DAY]) : { unavailable: "stopping" };
  const stopping = await gateway.app.inject("/api/v2/market/ticker?symbol=BTCUSDT");
  assert.equal(stopping.statusCode, 503);
});

test("Get Single Ticker: refusals", async () => {
  const gateway = fakeGateway();
  gateway.engine.answer = reject("unknown-symbol", "symbol");
  const cases: readonly (readonly [query: string, code: string])[] = [
    ["", "40019"],
    ["?symbol=", "40019"],
    ["?Symbol=BTCUSDT", "40019"],
    ["?symbol=BTC%2FUSDT", "40034"],
    ["?symbol=NOPE", "40034"],
    ["?symbol=BTCUSDT&symbol=BTCUSDT", "40017"],
    ["?symbol=%ff", "40017"],
    ["?symbol=BTCUSDT&__proto__=1", "40017"],
    [`?symbol=${"B".repeat(65)}`, "40020"],
  ];
  for (const [query, code] of cases) {
    const response = await gateway.app.inject(`/api/v2/market/ticker${query}`);
    assert.deepEqual([response.statusCode, response.json().code], [400, code], query);
  }
});
