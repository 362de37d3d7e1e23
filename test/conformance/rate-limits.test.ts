/**
 * Proves the limits of the specification with `--rate-limits standard`: requests a second for
 * orders, assets and the ticker, weights for cancels, the shape of a 429 in both families,
 * `Retry-After`, `X-USED-WEIGHT-10S`, `X-ORDER-COUNT-1S`, and that a limit decides admission and
 * nothing else.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import ccxt from "ccxt";
import { openContractAccount } from "../support/contract-setup.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import type { HttpAnswer } from "../support/http-exchange.ts";
import { assertShape } from "../support/wire-shape.ts";
import { ccxtClient } from "./ccxt-client.ts";

const ROUNDS_MAX = 10;
const TICKER = { method: "GET", path: "/api/v2/market/ticker?symbol=BTCUSDT" };

/**
 * All at once, and again while none was refused: a slow machine lets buckets fill up in between.
 */
async function burst(
  count: number,
  send: (i: number) => Promise<HttpAnswer>,
): Promise<HttpAnswer[]> {
  const answers: HttpAnswer[] = [];
  for (let round = 0; round < ROUNDS_MAX && limited(answers).length === 0; round++) {
    const first = round * count;
    const sent = Array.from({ length: count }, (_, i) => send(first + i));
    answers.push(...(await Promise.all(sent)));
  }
  assert.ok(limited(answers).length > 0, `${answers.length} requests and none was refused`);
  return answers;
}

function limited(answers: readonly HttpAnswer[]): readonly HttpAnswer[] {
  return answers.filter(({ status }) => status === 429);
}

function assertRetryAfter(answer: HttpAnswer): number {
  const seconds = Number(answer.headers["retry-after"]);
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 10, answer.text);
  return seconds;
}

function assertLimitedV2(answer: HttpAnswer): void {
  assert.equal(answer.status, 429);
  assertShape(answer.body, { code: "string", msg: "string", requestTime: "integer", data: null });
  assert.equal((answer.body as { code: string }).code, "429");
  assertRetryAfter(answer);
}

function order(i: number): Parameters<Account["client"]["place"]>[0] {
  return {
    symbol: "BTCUSDT",
    side: "buy",
    orderType: "limit",
    force: "normal",
    price: "20000",
    quantity: "0.001",
    clientOrderId: `limit-${i}`,
  };
}

async function orderTests(t: TestContext, account: Account): Promise<void> {
  await t.test("orders: 10 a second per user, refused ones leave no trace", async () => {
    const answers = await burst(40, (i) => account.client.place(order(i)));
    const refused = limited(answers);
    const accepted = answers.filter(({ status }) => status === 200);
    assert.equal(refused.length + accepted.length, answers.length);
    assert.ok(accepted.length >= 10, `${accepted.length} accepted`);
    refused.forEach(assertLimitedV2);
    for (const { headers } of answers) {
      assert.match(String(headers["x-used-weight-10s"]), /^\d+$/);
      assert.match(String(headers["x-order-count-1s"]), /^\d+$/);
    }
    const open = await account.client.v3<unknown[]>("/api/v3/openOrders", { symbol: "BTCUSDT" });
    assert.equal(open.length, accepted.length);
  });

  await t.test("after Retry-After the order is admitted", async () => {
    const answers = await burst(30, (i) => account.client.place(order(1000 + i)));
    const refused = answers.findIndex(({ status }) => status === 429);
    await sleep(assertRetryAfter(answers[refused] as HttpAnswer) * 1000);
    const answer = await account.client.place(order(1000 + refused));
    assert.equal(answer.status, 200, answer.text);
  });
}

async function poolTests(t: TestContext, account: Account, other: Account): Promise<void> {
  await t.test("assets: 10 a second per user; another user has a bucket of their own", async () => {
    const answers = await burst(40, () => account.client.get("/api/v2/account/assets"));
    assert.ok(answers.length - limited(answers).length >= 10);
    limited(answers).forEach(assertLimitedV2);
    assert.equal((await other.client.get("/api/v2/account/assets")).status, 200);
  });

  await t.test("ticker: 20 a second per address", async () => {
    const answers = await burst(80, () => account.client.raw(TICKER));
    const refused = limited(answers);
    assert.ok(answers.length - refused.length >= 20);
    refused.forEach(assertLimitedV2);
  });

  await t.test("cancels: weight 3 of 500 in 10 s per user", async () => {
    const answers = await burst(200, (i) =>
      account.client.cancel({ symbol: "BTCUSDT", clientOid: `none-${i}` }),
    );
    const admitted = answers.length - limited(answers).length;
    assert.ok(admitted >= 166, `${admitted} cancels were admitted`);
    limited(answers).forEach(assertLimitedV2);
    const used = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers["x-used-weight-10s"]));
    assert.ok(Math.max(...used) <= 500 && Math.max(...used) > 300, `${Math.max(...used)}`);
  });
}

async function v3Tests(t: TestContext, exchange: ExchangeProcess, account: Account): Promise<void> {
  await t.test("v3: -1003 with HTTP 429, as the public client shows it", async () => {
    const client = ccxtClient(exchange, new Set(), account.credentials);
    const path = "/api/v3/exchangeInfo";
    const answers = await burst(60, () => account.client.raw({ method: "GET", path }));
    const refused = limited(answers);
    // Weight 20 of 500 in 10 s.
    assert.ok(answers.length - refused.length >= 25);
    for (const answer of refused) {
      assertShape(answer.body, { code: "integer", msg: "string" });
      assert.equal((answer.body as { code: number }).code, -1003);
      assertRetryAfter(answer);
    }
    // The client turns every body with a `msg` that its table does not know into its base class.
    const reload = async (): Promise<void> => {
      for (let i = 0; i < 60 * ROUNDS_MAX; i++) await client.fetchMarkets();
    };
    await assert.rejects(reload(), (error: Error) => {
      assert.ok(error instanceof ccxt.ExchangeError, error.message);
      return error.message.includes('"code":-1003');
    });
  });
}

/** The seven reads of the specification, with the weight of a user. */
const CONTRACT_WEIGHTS = [
  ["openOrders", 3],
  ["order/history", 10],
  ["account/position/allPosition", 15],
  ["account/position/singlePosition?symbol=BTCUSDT", 3],
  ["openAlgoOrders", 3],
  ["allAlgoOrders", 10],
  ["userTrades", 5],
] as const;

async function contractTests(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  await t.test("contracts: each read has the weight of the specification", async () => {
    const { client } = await openContractAccount(exchange);
    for (const [path, weight] of CONTRACT_WEIGHTS) {
      const answer = await client.get(`/capi/v3/${path}`);
      assert.equal(answer.headers["x-used-weight-10s"], String(weight), path);
    }
    client.close();
  });

  await t.test("contracts: weight 15 of 500 in 10 s per user, -1003 with HTTP 429", async () => {
    const { client } = await openContractAccount(exchange);
    const path = "/capi/v3/account/position/allPosition";
    const answers = await burst(60, () => client.get(path));
    const refused = limited(answers);
    assert.ok(answers.length - refused.length >= 33);
    for (const answer of refused) {
      assertShape(answer.body, { code: "integer", msg: "string" });
      assert.equal((answer.body as { code: number }).code, -1003);
      assertRetryAfter(answer);
    }
    client.close();
  });
}

test("rate limits", async (t) => {
  const exchange = await ExchangeProcess.start({ rateLimits: "standard", process: "shared" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const account = await openAccount(exchange, { USDT: "100000" });
  const other = await openAccount(exchange);
  await orderTests(t, account);
  await poolTests(t, account, other);
  await v3Tests(t, exchange, account);
  await contractTests(t, exchange);
});
