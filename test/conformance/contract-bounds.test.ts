/**
 * Proves the limits of the contract family: the code of each kind of bad order; values at their
 * limits and one beyond; pages, the cursor of open orders, `hasMore` at exactly the limit; time
 * ranges of exactly the maximum and one millisecond more. The whole list is read first; every
 * narrower query must return a part of it.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { assertRefused } from "../support/contract-answers.ts";
import { listStandardContracts, openContractAccount, pinMark } from "../support/contract-setup.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import type { Account } from "../support/exchange-setup.ts";
import { pathWithQuery, type Query } from "../support/signed-client.ts";

const SYMBOL = "BTCUSDT";
const DAY_MS = 86_400_000;
const STEP_MS = 61_000;
const ROUNDS = 4;

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
    newClientOrderId: `bounds-${orders}`,
    ...change,
  };
}

async function accepted(account: Account, path: string, body: object): Promise<string> {
  const answer = await account.client.post(path, body);
  assert.equal(answer.status, 200, answer.text);
  return (answer.body as { orderId: string }).orderId;
}

function algo(change: object): object {
  orders++;
  return {
    symbol: SYMBOL,
    side: "BUY",
    positionSide: "LONG",
    type: "STOP_MARKET",
    quantity: "0.01",
    triggerPrice: "62000",
    clientAlgoId: `bounds-${orders}`,
    ...change,
  };
}

/** In each round one order fills, one is cancelled, one stays; likewise conditional orders. */
async function trade({ exchange, alice, bob }: Fixture): Promise<void> {
  const sell = { side: "SELL", positionSide: "SHORT" };
  for (let round = 0; round < ROUNDS; round++) {
    await accepted(bob, "/capi/v3/order", order({ ...sell, price: "60000" }));
    await accepted(alice, "/capi/v3/order", order({ price: "60000" }));
    const cancelled = await accepted(alice, "/capi/v3/order", order({}));
    await alice.client.delete("/capi/v3/order", { orderId: cancelled });
    await accepted(alice, "/capi/v3/order", order({}));
    const ended = await accepted(alice, "/capi/v3/algoOrder", algo({}));
    await alice.client.delete("/capi/v3/algoOrder", { orderId: ended });
    await accepted(alice, "/capi/v3/algoOrder", algo({}));
    await exchange.operator.advanceClock(STEP_MS);
  }
}

interface OrderRow {
  readonly orderId: number;
  readonly time: number;
}

async function openOrders(t: TestContext, { alice: { client } }: Fixture): Promise<void> {
  const list = (query: Query = {}): Promise<OrderRow[]> => client.v3("/capi/v3/openOrders", query);
  await t.test("openOrders: ascending, pages from 0, the id as a cursor", async () => {
    const all = await list();
    assert.equal(all.length, ROUNDS);
    assert.deepEqual(
      all,
      all.toSorted((a, b) => a.orderId - b.orderId),
    );
    assert.deepEqual(await list({ limit: 3 }), all.slice(0, 3));
    assert.deepEqual(await list({ limit: 3, page: 1 }), all.slice(3));
    assert.deepEqual(await list({ limit: 3, page: 2 }), []);
    const second = all[1] as OrderRow;
    assert.deepEqual(await list({ orderId: second.orderId }), all.slice(2));
    assert.deepEqual(await list({ orderId: 0 }), all);
    assert.deepEqual(await list({ orderId: "9223372036854775807" }), []);
    const [startTime, endTime] = [second.time, (all[2] as OrderRow).time];
    assert.deepEqual(await list({ startTime, endTime }), all.slice(1, 3));
    assert.deepEqual(await list({ startTime: endTime }), all.slice(2));
    assert.deepEqual(await list({ endTime: startTime - 1 }), all.slice(0, 1));
    assert.deepEqual(await list({ symbol: "ETHUSDT" }), []);
  });
}

async function orderHistory(t: TestContext, { alice: { client } }: Fixture): Promise<void> {
  const list = (query: Query = {}): Promise<OrderRow[]> =>
    client.v3("/capi/v3/order/history", query);
  await t.test("order/history: newest first, pages, times of placing", async () => {
    const all = await list();
    assert.equal(all.length, 2 * ROUNDS);
    assert.deepEqual(
      all,
      all.toSorted((a, b) => b.orderId - a.orderId),
    );
    const pages: OrderRow[] = [];
    for (let page = 0; page < 4; page++) pages.push(...(await list({ limit: 3, page })));
    assert.deepEqual(pages, all);
    assert.deepEqual(await list({ symbol: SYMBOL }), all);
    assert.deepEqual(await list({ symbol: "ETHUSDT" }), []);
    const [startTime, endTime] = [(all[5] as OrderRow).time, (all[2] as OrderRow).time];
    const inside = all.filter(({ time }) => time >= startTime && time <= endTime);
    assert.deepEqual(await list({ startTime, endTime }), inside);
    assert.deepEqual(await list({ startTime, endTime, symbol: SYMBOL }), inside);
  });
}

interface AlgoRow {
  readonly algoId: number;
  readonly createTime: number;
}

async function conditionals(t: TestContext, { alice: { client } }: Fixture): Promise<void> {
  const open = (query: Query = {}): Promise<AlgoRow[]> =>
    client.v3("/capi/v3/openAlgoOrders", query);
  const ended = (query: Query = {}): Promise<{ orders: AlgoRow[]; hasMore: boolean }> =>
    client.v3("/capi/v3/allAlgoOrders", query);
  await t.test("openAlgoOrders: newest first, pages from 1", async () => {
    const all = await open();
    assert.equal(all.length, ROUNDS);
    assert.deepEqual(
      all,
      all.toSorted((a, b) => b.algoId - a.algoId),
    );
    assert.deepEqual(await open({ limit: 3, page: 1 }), all.slice(0, 3));
    assert.deepEqual(await open({ limit: 3, page: 2 }), all.slice(3));
    const { createTime } = all[1] as AlgoRow;
    assert.deepEqual(await open({ startTime: createTime, endTime: createTime }), [all[1]]);
  });

  await t.test("allAlgoOrders: hasMore only when there is more than the limit", async () => {
    const { orders: all, hasMore } = await ended();
    assert.deepEqual([all.length, hasMore], [ROUNDS, false]);
    assert.deepEqual(await ended({ limit: ROUNDS }), { orders: all, hasMore: false });
    const fewer = { orders: all.slice(0, -1), hasMore: true };
    assert.deepEqual(await ended({ limit: ROUNDS - 1 }), fewer);
    const { createTime } = all[2] as AlgoRow;
    assert.deepEqual((await ended({ endTime: createTime })).orders, all.slice(2));
  });
}

interface FillRow extends OrderRow {
  readonly id: number;
}

async function trades(t: TestContext, { alice, bob }: Fixture): Promise<void> {
  const list = (query: Query = {}): Promise<FillRow[]> =>
    alice.client.v3("/capi/v3/userTrades", query);
  await t.test("userTrades: by order, by time, the newest within a limit", async () => {
    const all = await list();
    assert.equal(all.length, ROUNDS);
    assert.deepEqual(
      all,
      all.toSorted((a, b) => b.id - a.id),
    );
    assert.deepEqual(await list({ limit: 2 }), all.slice(0, 2));
    const { orderId, time } = all[1] as FillRow;
    assert.deepEqual(await list({ orderId }), [all[1]]);
    assert.deepEqual(await list({ startTime: time, endTime: time }), [all[1]]);
    const theirs = await bob.client.v3<FillRow[]>("/capi/v3/userTrades");
    assert.deepEqual(await list({ orderId: (theirs[0] as FillRow).orderId }), []);
    assert.deepEqual(await list({ orderId: "9223372036854775807" }), []);
  });
}

/** Path, greatest limit, first page (none: no pages), longest range in days (none: no bound). */
const LISTS = [
  ["openOrders", 100, 0, null],
  ["order/history", 1000, 0, 90],
  ["openAlgoOrders", 100, 1, null],
  ["allAlgoOrders", 1000, null, 90],
  ["userTrades", 100, null, null],
] as const;

async function limits(t: TestContext, { alice: { client } }: Fixture): Promise<void> {
  for (const [path, most, firstPage, days] of LISTS) {
    await t.test(`${path}: limit, page, range`, async () => {
      const get = (query: Query) => client.get(`/capi/v3/${path}`, query);
      for (const limit of [1, most]) assert.equal((await get({ limit })).status, 200);
      for (const limit of [0, most + 1, -1, 1.5, "x", "1e2"]) {
        assertRefused(await get({ limit }), -1140);
      }
      if (firstPage !== null) {
        assert.equal((await get({ page: firstPage })).status, 200);
        for (const page of [firstPage - 1, "a"]) assertRefused(await get({ page }), -1140);
      }
      const endTime = Date.now();
      assertRefused(await get({ startTime: endTime, endTime: endTime - 1 }), -1171);
      assert.equal((await get({ startTime: endTime, endTime })).status, 200);
      const longest = endTime - (days ?? 3650) * DAY_MS;
      assert.equal((await get({ startTime: longest, endTime })).status, 200);
      assert.equal((await get({ startTime: 1 })).status, 200, "an open range is never refused");
      assert.equal((await get({ endTime })).status, 200);
      if (days !== null) {
        assertRefused(await get({ startTime: longest - 1, endTime }), -1170);
        const future = endTime + 30 * DAY_MS;
        const query = { startTime: future - days * DAY_MS, endTime: future };
        assert.equal((await get(query)).status, 200);
      }
    });
  }

  await t.test("order/history: as far as pages reach", async () => {
    const get = (query: Query) => client.get("/capi/v3/order/history", query);
    assert.equal((await get({ limit: 1000, page: 100 })).status, 200);
    assertRefused(await get({ limit: 1000, page: 101 }), -1140);
  });
}

async function otherLists(t: TestContext, { alice: { client } }: Fixture): Promise<void> {
  await t.test("income: limit, range, cursor only in whole", async () => {
    const post = (body: object) => client.post("/capi/v3/account/income", body);
    for (const limit of [1, 100]) assert.equal((await post({ limit })).status, 200);
    for (const limit of [0, 101]) assertRefused(await post({ limit }), -1140);
    const endTime = Date.now();
    const longest = endTime - 100 * DAY_MS;
    assert.equal((await post({ startTime: longest, endTime })).status, 200);
    assertRefused(await post({ startTime: longest - 1, endTime }), -1170);
    assertRefused(await post({ startTime: endTime, endTime: endTime - 1 }), -1171);
    assertRefused(await post({ nextKeyId: 1 }), -1128);
    assertRefused(await post({ nextKeyTime: 1 }), -1128);
    assertRefused(await post({ asset: "NOPE" }), -3613);
    assertRefused(await post({ symbol: "NOPEUSDT" }), -1121);
  });

  await t.test("public lists: limit and range", async () => {
    const get = (path: string, query: Query) =>
      client.raw({
        method: "GET",
        path: pathWithQuery(`/capi/v3/market/${path}`, { symbol: SYMBOL, ...query }),
      });
    const now = Date.now();
    for (const [path, most, query] of [
      ["trades", 1000, {}],
      ["klines", 1000, { interval: "1m" }],
      ["indexPriceKlines", 1000, { interval: "1m" }],
      ["markPriceKlines", 1000, { interval: "1m" }],
      ["historyKlines", 100, { interval: "1m" }],
      ["fundingRate", 1000, {}],
    ] as const) {
      for (const limit of [1, most]) {
        assert.equal((await get(path, { ...query, limit })).status, 200, path);
      }
      for (const limit of [0, most + 1]) {
        assertRefused(await get(path, { ...query, limit }), -1140);
      }
    }
    for (const limit of [15, 200]) assert.equal((await get("depth", { limit })).status, 200);
    for (const limit of [0, 14, 16, 201]) assertRefused(await get("depth", { limit }), -1140);
    const week = now - 7 * DAY_MS;
    assert.equal((await get("fundingRate", { startTime: week, endTime: now })).status, 200);
    assertRefused(await get("fundingRate", { startTime: week - 1, endTime: now }), -1170);
    const backwards = { interval: "1m", startTime: now, endTime: now - 1 };
    assertRefused(await get("historyKlines", backwards), -1171);
    const future = { interval: "1m", startTime: now - 60_000, endTime: now + DAY_MS };
    assert.equal((await get("historyKlines", future)).status, 200);
  });
}

async function refusals(t: TestContext, account: Account): Promise<void> {
  const changes: readonly (readonly [what: string, change: object, code: number])[] = [
    ["unknown symbol", { symbol: "NOPEUSDT" }, -1121],
    ["spot spelling", { symbol: "BTCUSDT_SPBL" }, -1121],
    ["no symbol", { symbol: undefined }, -1140],
    ["no side", { side: undefined }, -1140],
    ["no position side", { positionSide: undefined }, -1140],
    ["position side BOTH", { positionSide: "BOTH" }, -1140],
    ["no type", { type: undefined }, -1140],
    ["no quantity", { quantity: undefined }, -1140],
    ["no client id", { newClientOrderId: undefined }, -1140],
    ["client id null", { newClientOrderId: null }, -1140],
    ["no price of a limit order", { price: undefined }, -1140],
    ["no time in force of a limit order", { timeInForce: undefined }, -1140],
    ["time in force null", { timeInForce: null }, -1140],
    ["quantity as a number", { quantity: 0.01 }, -1140],
    ["sign", { quantity: "-0.01" }, -1140],
    ["exponent", { quantity: "1e-2" }, -1140],
    ["price of zero", { price: "0" }, -1140],
    ["off the price grid", { price: "59000.05" }, -1160],
    ["off the quantity grid", { quantity: "0.0105" }, -1160],
    ["above the maximum", { quantity: "1000.001" }, -3007],
    ["above the band", { price: "63000.1" }, -3204],
    [
      "a closing order without a position",
      { side: "SELL", symbol: "ETHUSDT", price: "3000" },
      -3202,
    ],
    [
      "attached to a closing order",
      { side: "SELL", price: "61000", slTriggerPrice: "59000" },
      -1128,
    ],
    ["take-profit before the price", { tpTriggerPrice: "58999.9" }, -3207],
    ["stop-loss at the price", { slTriggerPrice: "59000" }, -3207],
    ["more margin than there is", { quantity: "500" }, -3201],
  ];
  await t.test(`POST order: ${changes.length} refusals`, async () => {
    for (const [what, change, code] of changes) {
      const answer = await account.client.post("/capi/v3/order", order(change));
      assert.ok(answer.status === 400, `${what}: ${answer.text}`);
      assert.equal((answer.body as { code: number }).code, code, `${what}: ${answer.text}`);
      assertRefused(answer, code);
    }
  });
}

test("bounds of the contract family", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared", threads: "many" });
  t.after(() => exchange.stop());
  await listStandardContracts(exchange);
  await pinMark(exchange, SYMBOL, "60000");
  const alice = await openContractAccount(exchange, "100000");
  const bob = await openContractAccount(exchange, "100000");
  const fixture: Fixture = { exchange, alice, bob };
  await trade(fixture);
  await openOrders(t, fixture);
  await orderHistory(t, fixture);
  await conditionals(t, fixture);
  await trades(t, fixture);
  await limits(t, fixture);
  await otherLists(t, fixture);
  await refusals(t, alice);
  for (const { client } of [alice, bob]) client.close();
});
