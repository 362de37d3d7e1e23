/**
 * Proves the golden wire shapes of the contract family: names, JSON types and nullability of every
 * answer, which ids are text and which are numbers, and that no successful answer has a `msg`,
 * which a public client would treat as an error.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import {
  ACCOUNT_CONFIG,
  ALGO,
  assertAnswer,
  assertRefused,
  assertRows,
  BALANCE,
  BOOK_TICKER,
  CANCELLED,
  CANCELLED_IN_BOOK,
  CANDLE,
  CLOSED_POSITION,
  COMMISSION_RATE,
  CONTRACT_SYMBOL,
  DONE,
  FUNDING_RATE,
  HISTORY_ALGO,
  HISTORY_ORDER,
  INCOME_ITEM,
  LEVERAGES,
  NUMBERED_IN_BOOK,
  NUMBERED_RESULT,
  ORDER,
  PLACED,
  PLACED_IN_BOOK,
  POSITION,
  PREMIUM_INDEX,
  PUBLIC_TRADE,
  SYMBOL_CONFIG,
  TICKER_24HR,
  TRANSFER,
  USER_TRADE,
} from "../support/contract-answers.ts";
import {
  depositContract,
  listStandardContracts,
  openContractAccount,
  passFundingSlot,
  pinMark,
} from "../support/contract-setup.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import type { Account } from "../support/exchange-setup.ts";
import type { HttpAnswer } from "../support/http-exchange.ts";
import { pathWithQuery, type Query } from "../support/signed-client.ts";
import { assertShape } from "../support/wire-shape.ts";

const SYMBOL = "BTCUSDT";

interface Fixture {
  readonly exchange: ExchangeProcess;
  readonly alice: Account;
  readonly bob: Account;
}

let orders = 0;

function order(change: object): object {
  orders++;
  return {
    symbol: SYMBOL,
    side: "BUY",
    positionSide: "LONG",
    type: "LIMIT",
    timeInForce: "GTC",
    price: "59000",
    quantity: "0.01",
    newClientOrderId: `shape-${orders}`,
    ...change,
  };
}

async function placed(account: Account, change: object): Promise<string> {
  const answer = await account.client.post("/capi/v3/order", order(change));
  assertAnswer(answer, PLACED_IN_BOOK);
  const body = answer.body as { orderId: string; success: boolean; errorCode: string };
  assert.deepEqual([body.success, body.errorCode], [true, ""]);
  return body.orderId;
}

const SELL = { side: "SELL", positionSide: "SHORT" };

async function orderWrites(t: TestContext, { alice }: Fixture): Promise<void> {
  const { client } = alice;
  await t.test("POST order: the id is text; the order by itself has all 22 names", async () => {
    const orderId = await placed(alice, { newClientOrderId: "shape-first" });
    const read = await client.get("/capi/v3/order", { orderId });
    assertAnswer(read, ORDER);
    const { time, updateTime, ...rest } = read.body as Record<string, unknown>;
    assert.ok(Math.abs(Number(time) - Date.now()) < 60_000);
    assert.equal(updateTime, time);
    assert.deepEqual(rest, {
      orderId: Number(orderId),
      clientOrderId: "shape-first",
      symbol: SYMBOL,
      side: "BUY",
      positionSide: "LONG",
      status: "NEW",
      type: "LIMIT",
      price: "59000",
      origQty: "0.01",
      executedQty: "0",
      avgPrice: "0",
      cumQuote: "0",
      timeInForce: "GTC",
      stopPrice: "0",
      reduceOnly: false,
      workingType: "CONTRACT_PRICE",
      priceProtect: false,
      priceMatch: "NONE",
      selfTradePreventionMode: "NONE",
      goodTillDate: 0,
    });
    const cancelled = await client.delete("/capi/v3/order", { orderId });
    assertAnswer(cancelled, CANCELLED_IN_BOOK);
    assert.deepEqual(cancelled.body, {
      orderId,
      origClientOrderId: "shape-first",
      success: true,
      errorCode: "",
      errorMessage: "",
      lastUpdateId: 2,
    });
    assertRefused(await client.delete("/capi/v3/order", { orderId }), -3200);
    assertRefused(await client.delete("/capi/v3/order"), -1140);
    assertRefused(await client.get("/capi/v3/order", { orderId: "987654321" }), -3200);
  });
}

async function batches(t: TestContext, { alice, bob }: Fixture): Promise<void> {
  const { client } = alice;
  await t.test("batches: each row for itself", async () => {
    const rows = [order({}), order({ quantity: "900", price: "60000" }), order({ side: "UP" })];
    const answer = await client.post("/capi/v3/batchOrders", { batchOrders: rows });
    const [first, second, third] = answer.body as Record<string, unknown>[];
    assertShape(first, PLACED_IN_BOOK);
    assertShape([second, third], [PLACED]);
    assert.equal(first?.success, true);
    assert.deepEqual([second?.success, second?.orderId, second?.errorCode], [false, "0", "-3201"]);
    assert.deepEqual([third?.success, third?.orderId, third?.errorCode], [false, "0", "-1117"]);
    for (const row of [second, third]) assert.notEqual(row?.errorMessage, "");
    const tooMany = { batchOrders: Array.from({ length: 6 }, () => order({})) };
    assertRefused(await client.post("/capi/v3/batchOrders", tooMany), -1140);
    assertRefused(await client.post("/capi/v3/batchOrders", { batchOrders: [] }), -1140);

    const body = JSON.stringify({ orderIdList: [first?.orderId, "123456789"] });
    const path = "/capi/v3/batchOrders";
    const cancelled = await client.send({ method: "DELETE", path, body });
    const [ok, missing] = (cancelled.body as { orderList: Record<string, unknown>[] }).orderList;
    assertShape(ok, CANCELLED_IN_BOOK);
    assertShape(missing, { ...CANCELLED, errorMsg: "string" });
    assert.equal(missing?.errorMsg, "FAILED_ORDER_NOT_FOUND");
    assert.deepEqual([ok?.success, missing?.success], [true, false]);
    for (const [lists, code] of [
      [{}, -1140],
      [{ orderIdList: ["1"], origClientOrderIdList: ["a"] }, -1128],
      [{ orderIdList: Array.from({ length: 11 }, (_, i) => i + 1) }, -1140],
    ] as const) {
      const text = JSON.stringify(lists);
      assertRefused(await client.send({ method: "DELETE", path, body: text }), code);
    }
  });

  await t.test("allOpenOrders and closePositions: ids are numbers", async () => {
    await placed(alice, {});
    const all = "/capi/v3/allOpenOrders";
    assertRows(await client.delete(all, { symbol: SYMBOL }), NUMBERED_IN_BOOK);
    assertAnswer(await client.delete(all), [NUMBERED_IN_BOOK]);
    await placed(bob, { ...SELL, price: "60000" });
    await placed(alice, { price: "60000" });
    const buyShort = { side: "BUY", positionSide: "SHORT", price: "60000" };
    await placed(bob, buyShort);
    assertRows(await client.post("/capi/v3/closePositions", { symbol: SYMBOL }), CLOSED_POSITION);
    assertAnswer(await client.post("/capi/v3/closePositions", {}), [CLOSED_POSITION]);
    assertRefused(await client.post("/capi/v3/closePositions", { positionId: 1 }), -1054);
  });
}

function algoBody(change: object): object {
  orders++;
  return {
    symbol: SYMBOL,
    side: "BUY",
    positionSide: "LONG",
    type: "STOP_MARKET",
    quantity: "0.01",
    triggerPrice: "61000",
    clientAlgoId: `shape-${orders}`,
    ...change,
  };
}

async function conditionalWrites(t: TestContext, { alice }: Fixture): Promise<void> {
  const { client } = alice;
  await t.test("algoOrder, its presets and its cancel", async () => {
    const stop = await client.post("/capi/v3/algoOrder", algoBody({}));
    assertAnswer(stop, PLACED);
    const preset = { presetTakeProfitPrice: "62000", presetStopLossPrice: "60500" };
    assertAnswer(await client.post("/capi/v3/algoOrder", algoBody(preset)), PLACED);
    const trailing = { type: "TRAILING_STOP_MARKET", callbackRate: "0.5", triggerPrice: undefined };
    assertAnswer(await client.post("/capi/v3/algoOrder", algoBody(trailing)), PLACED);
    const rows = await client.get("/capi/v3/openAlgoOrders", { symbol: SYMBOL });
    assertRows(rows, ALGO);
    const [newest, linked, oldest] = rows.body as Record<string, unknown>[];
    assert.equal(newest?.orderType, "TRAILING_STOP_MARKET");
    assert.deepEqual(
      [linked?.tpTriggerPrice, linked?.slTriggerPrice, linked?.tpPrice, linked?.slPrice],
      ["62000", "60500", "0", "0"],
    );
    assert.equal(linked?.tpOrderType, "CONTRACT_PRICE");
    const { algoId, clientAlgoId, createTime, updateTime, ...rest } = oldest ?? {};
    assert.equal(String(algoId), (stop.body as { orderId: string }).orderId);
    assert.equal(createTime, updateTime);
    assert.equal(typeof clientAlgoId, "string");
    assert.deepEqual(rest, {
      algoType: "CONDITIONAL",
      orderType: "STOP_MARKET",
      symbol: SYMBOL,
      side: "BUY",
      positionSide: "LONG",
      timeInForce: "IOC",
      quantity: "0.01",
      algoStatus: "UNTRIGGERED",
      actualOrderId: null,
      actualPrice: "0",
      triggerPrice: "61000",
      price: "0",
      tpTriggerPrice: "",
      tpPrice: "",
      slTriggerPrice: "",
      slPrice: "",
      tpOrderType: "",
      workingType: "CONTRACT_PRICE",
      closePosition: false,
      reduceOnly: false,
      triggerTime: 0,
    });
    const orderId = String(algoId);
    assertAnswer(await client.delete("/capi/v3/algoOrder", { orderId }), CANCELLED);
    assertRefused(await client.delete("/capi/v3/algoOrder", { orderId }), -3200);
    assertRefused(await client.delete("/capi/v3/algoOrder"), -1140);
    assertRows(await client.delete("/capi/v3/algoOpenOrders", { symbol: SYMBOL }), NUMBERED_RESULT);
  });
}

/** Leaves alice with a long position, an open order, and conditional orders open and ended. */
async function positionPlans(t: TestContext, { alice, bob }: Fixture): Promise<void> {
  const { client } = alice;
  await t.test("placeTpSlOrder and modifyTpSlOrder", async () => {
    await placed(bob, { ...SELL, price: "60000", quantity: "0.05" });
    await placed(alice, { price: "60000", quantity: "0.05" });
    const plan = { symbol: SYMBOL, positionSide: "LONG", planType: "STOP_LOSS" };
    const body = { ...plan, triggerPrice: "58000", clientAlgoId: "shape-plan" };
    const answer = await client.post("/capi/v3/placeTpSlOrder", body);
    assertRows(answer, NUMBERED_RESULT);
    const [{ orderId }] = answer.body as [{ orderId: number }];
    const changed = { orderId, triggerPrice: "58500", executePrice: "58400" };
    const modified = await client.post("/capi/v3/modifyTpSlOrder", changed);
    assertAnswer(modified, { success: "boolean" });
    const rows = await client.get("/capi/v3/openAlgoOrders");
    const [row] = rows.body as Record<string, unknown>[];
    assert.partialDeepStrictEqual(row, {
      algoId: orderId,
      orderType: "STOP",
      timeInForce: "GTC",
      quantity: "0",
      closePosition: true,
      reduceOnly: true,
      triggerPrice: "58500",
      price: "58400",
    });
    await placed(alice, { price: "58000" });
    const tooLarge = { ...body, clientAlgoId: "shape-large", quantity: "0.06" };
    assertRefused(await client.post("/capi/v3/placeTpSlOrder", tooLarge), -3202);
    const reached = { ...body, clientAlgoId: "shape-reached", triggerPrice: "60000" };
    assertRefused(await client.post("/capi/v3/placeTpSlOrder", reached), -3207);
  });
}

async function lists(t: TestContext, { alice, exchange }: Fixture): Promise<void> {
  const { client } = alice;
  await t.test("the seven reads of the specification", async () => {
    await passFundingSlot(exchange, alice, SYMBOL);
    assertRows(await client.get("/capi/v3/openOrders"), ORDER);
    assertRows(await client.get("/capi/v3/order/history"), HISTORY_ORDER);
    assertRows(await client.get("/capi/v3/account/position/allPosition"), POSITION);
    const query = { symbol: SYMBOL };
    assertRows(await client.get("/capi/v3/account/position/singlePosition", query), POSITION);
    assertRows(await client.get("/capi/v3/openAlgoOrders"), ALGO);
    const history = await client.get("/capi/v3/allAlgoOrders");
    assertAnswer(history, { orders: [HISTORY_ALGO], hasMore: "boolean" });
    const { orders: ended } = history.body as { orders: { algoType: string }[] };
    assert.ok(ended.length > 0 && ended.every(({ algoType }) => algoType === "PLAN"));
    assertRows(await client.get("/capi/v3/userTrades"), USER_TRADE);
    const missing = await client.get("/capi/v3/account/position/singlePosition");
    assertRefused(missing, -1140);
    for (const path of ["account/position/singlePosition", "openOrders", "order/history"]) {
      assertRefused(await client.get(`/capi/v3/${path}`, { symbol: "NOPEUSDT" }), -1121);
    }
  });

  await t.test("account reads", async () => {
    assertRows(await client.get("/capi/v3/account/balance"), BALANCE);
    const config = await client.get("/capi/v3/account/accountConfig");
    assertAnswer(config, ACCOUNT_CONFIG);
    assert.equal((config.body as { dualSidePosition: boolean }).dualSidePosition, true);
    assertRows(await client.get("/capi/v3/account/symbolConfig"), SYMBOL_CONFIG);
    const one = await client.get("/capi/v3/account/symbolConfig", { symbol: SYMBOL });
    assertRows(one, SYMBOL_CONFIG);
    assert.equal((one.body as unknown[]).length, 1);
    const rate = await client.get("/capi/v3/account/commissionRate", { symbol: SYMBOL });
    assertAnswer(rate, COMMISSION_RATE);
    const income = await client.post("/capi/v3/account/income", { limit: 2 });
    assertAnswer(income, {
      hasNextPage: "boolean",
      nextKey: { nextKeyId: "integer", nextKeyTime: "integer" },
      items: [INCOME_ITEM],
    });
    const rare = { incomeType: "position_funding" };
    const funding = await client.post("/capi/v3/account/income", rare);
    const [item] = (funding.body as { items: Record<string, unknown>[] }).items;
    assert.deepEqual([item?.income, item?.symbol, item?.fillFee], ["-0.3", SYMBOL, "0"]);
  });
}

async function settings(t: TestContext, { alice, exchange }: Fixture): Promise<void> {
  const { client } = alice;
  await t.test("settings answer without msg; ids and leverages as numbers or text", async () => {
    const symbol = "ETHUSDT";
    for (const crossLeverage of [10, "10"]) {
      const answer = await client.post("/capi/v3/account/leverage", { symbol, crossLeverage });
      assertAnswer(answer, LEVERAGES);
      assert.deepEqual(answer.body, {
        symbol,
        marginType: "CROSSED",
        crossLeverage: "10",
        isolatedLongLeverage: "20",
        isolatedShortLeverage: "20",
      });
    }
    assertRefused(await client.post("/capi/v3/account/leverage", { symbol }), -1140);
    const otherMode = { symbol, crossLeverage: 20, marginType: "ISOLATED" };
    assertRefused(await client.post("/capi/v3/account/leverage", otherMode), -1140);
    const mode = { symbol, marginType: "ISOLATED", separatedType: "SEPARATED" };
    assertAnswer(await client.post("/capi/v3/account/marginType", mode), DONE);
  });

  await t.test("positionMargin and modifyAutoAppendMargin", async () => {
    const [position] = await client.v3<{ id: number }[]>("/capi/v3/account/position/allPosition");
    const cross = { isolatedPositionId: position?.id, amount: "1", type: 1 };
    assertRefused(await client.post("/capi/v3/account/positionMargin", cross), -1054);
    const append = { positionId: String(position?.id), autoAppendMargin: true };
    assertRefused(await client.post("/capi/v3/account/modifyAutoAppendMargin", append), -1054);
  });

  await t.test("transfer between the wallets", async () => {
    const body = {
      clientTransferId: "shape-transfer",
      fromType: "CONTRACT",
      toType: "SPOT",
      coinName: "USDT",
      amount: "25.50",
    };
    const answer = await client.post("/api/v3/account/transfer", body);
    assertAnswer(answer, TRANSFER);
    const again = await client.post("/api/v3/account/transfer", body);
    assert.deepEqual(again.body, answer.body);
    assertRefused(await client.post("/api/v3/account/transfer", { ...body, amount: "1" }), -1140);
    const most = { ...body, clientTransferId: "shape-most", amount: "100000000" };
    assertRefused(await client.post("/api/v3/account/transfer", most), -2201);
    const same = { ...body, clientTransferId: "shape-same", toType: "CONTRACT" };
    assertRefused(await client.post("/api/v3/account/transfer", same), -1140);
    await depositContract(exchange, alice.uid, "25.5");
  });
}

async function market(t: TestContext, { alice }: Fixture): Promise<void> {
  const get = (path: string, query: Query = {}): Promise<HttpAnswer> =>
    alice.client.raw({ method: "GET", path: pathWithQuery(`/capi/v3/market/${path}`, query) });
  const symbol = SYMBOL;
  await t.test("market data, unsigned", async () => {
    assertAnswer(await get("time"), { serverTime: "integer" });
    const info = await get("exchangeInfo");
    assertShape((info.body as { symbols: unknown }).symbols, [CONTRACT_SYMBOL]);
    assert.deepEqual((info.body as { rateLimits: unknown }).rateLimits, []);
    const one = await get("exchangeInfo", { symbol });
    assert.equal((one.body as { symbols: unknown[] }).symbols.length, 1);
    assertRows(await get("apiTradingSymbols"), "string");
    const depth = await get("depth", { symbol });
    assertShape((depth.body as { lastUpdateId: unknown }).lastUpdateId, "integer");
    assertShape((depth.body as { bids: unknown }).bids, [["decimal"]]);
    assertRows(await get("ticker/24hr"), TICKER_24HR);
    assertRows(await get("ticker/24hr", { symbol }), TICKER_24HR);
    assertRows(await get("ticker/bookTicker", { symbol }), BOOK_TICKER);
    assertRows(await get("trades", { symbol }), PUBLIC_TRADE);
    assertAnswer(await get("symbolPrice", { symbol }), {
      symbol: "string",
      price: "decimal",
      time: "integer",
    });
    assertAnswer(await get("openInterest", { symbol }), {
      symbol: "string",
      openInterest: "decimal",
      time: "integer",
    });
    assertRows(await get("premiumIndex"), PREMIUM_INDEX);
    assertRows(await get("fundingRate", { symbol }), FUNDING_RATE);
  });

  await t.test("candles: eleven places, of trades, index and mark", async () => {
    for (const [path, query] of [
      ["klines", {}],
      ["indexPriceKlines", {}],
      ["markPriceKlines", {}],
      ["historyKlines", {}],
      ["historyKlines", { priceType: "INDEX" }],
      ["historyKlines", { priceType: "MARK" }],
    ] as const) {
      const answer = await get(path, { symbol, interval: "1d", ...query });
      assert.equal(answer.status, 200, answer.text);
      const rows = answer.body as unknown[][];
      assert.ok(rows.length > 0, path);
      for (const row of rows) {
        assert.equal(row.length, CANDLE.length, path);
        CANDLE.forEach((shape, i) => {
          assertShape(row[i], shape, `${path}[${i}]`);
        });
      }
    }
    assertRefused(await get("klines", { symbol, interval: "2h" }), -1140);
    assertRefused(await get("klines", { interval: "1h" }), -1140);
    assertRefused(await get("klines", { symbol: "NOPEUSDT", interval: "1h" }), -1121);
  });

  await t.test("unknown paths and wrong methods", async () => {
    assertRefused(await get("nothing"), -1150, 404);
    const path = "/capi/v3/order/history";
    assertRefused(await alice.client.delete(path), -1150, 405);
  });
}

test("golden wire shapes of the contract family", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  await listStandardContracts(exchange);
  await pinMark(exchange, SYMBOL, "60000");
  const alice = await openContractAccount(exchange, "100000");
  const bob = await openContractAccount(exchange, "100000");
  const fixture: Fixture = { exchange, alice, bob };
  await orderWrites(t, fixture);
  await batches(t, fixture);
  await conditionalWrites(t, fixture);
  await positionPlans(t, fixture);
  await lists(t, fixture);
  await settings(t, fixture);
  await market(t, fixture);
  for (const { client } of [alice, bob]) client.close();
});
