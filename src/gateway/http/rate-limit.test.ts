/**
 * Proves the token buckets against a naive model that keeps a token count and a last time per key
 * and forgets nothing; and the rules around them: pools taken both or none, failures apart, bounded
 * memory.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { fakeGateway, placeOrderRequest, send, WALL_MS } from "../../../test/support/gateway.ts";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { tickerRoute } from "../../api/v2/market.ts";
import { cancelOrderRoute, placeOrderRoute } from "../../api/v2/trade.ts";
import { createRateLimits, POOL_WEIGHT, TokenBuckets } from "./rate-limit.ts";

const random = seededRandom("rate-limit");

/** Tokens as thousandths, so that the model is exact. */
class NaiveBucket {
  readonly #capacity: number;
  readonly #intervalMs: number;
  #milliTokens: number;
  #lastMs = 0;

  constructor(capacity: number, intervalMs: number) {
    this.#capacity = capacity;
    this.#intervalMs = intervalMs;
    this.#milliTokens = capacity * intervalMs;
  }

  /** One token is `intervalMs` thousandths: one is gained each millisecond. */
  available(nowMs: number): number {
    const gained = this.#milliTokens + (nowMs - this.#lastMs);
    return Math.min(this.#capacity * this.#intervalMs, gained);
  }

  waitMs(amount: number, nowMs: number): number {
    return Math.max(0, amount * this.#intervalMs - this.available(nowMs));
  }

  take(amount: number, nowMs: number): void {
    this.#milliTokens = this.available(nowMs) - amount * this.#intervalMs;
    this.#lastMs = nowMs;
  }
}

test("buckets admit exactly what a naive bucket per key admits", () => {
  for (let round = 0; round < scaled(60); round++) {
    const capacity = random.integer(1, 30);
    const intervalMs = random.integer(1, 200);
    const buckets = new TokenBuckets<number>(capacity, intervalMs);
    const model = new Map<number, NaiveBucket>();
    let nowMs = random.integer(1, 100_000);
    for (let step = 0; step < 500; step++) {
      nowMs += random.chance(0.5) ? 0 : random.integer(0, intervalMs * random.pick([1, 3, 40]));
      const key = random.integer(0, 5);
      const amount = random.integer(1, capacity);
      const naive = model.get(key) ?? new NaiveBucket(capacity, intervalMs);
      model.set(key, naive);
      const waitMs = buckets.waitMs(key, amount, nowMs);
      assert.equal(waitMs, naive.waitMs(amount, nowMs));
      if (waitMs > 0) continue;
      buckets.take(key, amount, nowMs);
      naive.take(amount, nowMs);
      const taken = capacity * intervalMs - naive.available(nowMs);
      assert.equal(buckets.used(key, nowMs), Math.ceil(taken / intervalMs));
    }
  }
});

test("idle keys are forgotten and the number of keys is bounded", () => {
  const buckets = new TokenBuckets<number>(10, 100, 50);
  for (let key = 0; key < 10_000; key++) {
    buckets.take(key, 1, 1_000);
    assert.ok(buckets.size <= 100);
  }
  buckets.take(1, 1, 10_000);
  buckets.take(1, 1, 20_000);
  assert.equal(buckets.size, 2);
});

test("weights are taken from both pools or from none", () => {
  const limits = createRateLimits().forRoute(cancelOrderRoute);
  let taken = 0;
  while (limits.takeUser("192.0.2.1", 1, 1_000) === 0) taken++;
  assert.equal(taken, Math.floor(POOL_WEIGHT / 3));
  // User 1 is at its limit and takes nothing of the address pool any more.
  for (let i = 0; i < 100; i++) assert.ok(limits.takeUser("192.0.2.1", 1, 1_000) > 0);
  let others = 0;
  while (limits.takeUser("192.0.2.1", 2, 1_000) === 0) others++;
  assert.equal(taken + others, POOL_WEIGHT / 2, "the address pool of weight 2 is spent");
  assert.equal(limits.takeUser("192.0.2.2", 2, 1_000), 0, "another address, the same user");
  assert.ok(limits.takeAddress("192.0.2.1", 1_000) > 0);
  assert.equal(limits.takeAddress("192.0.2.1", 1_040), 0, "two tokens of 20 ms later");
});

test("a signed rate counts users, a public rate counts addresses", () => {
  const limits = createRateLimits();
  const signed = limits.forRoute(placeOrderRoute);
  for (let i = 0; i < 10; i++) assert.equal(signed.takeUser("a", 1, 1_000), 0);
  assert.equal(signed.orderCount(1, 1_000), 10);
  assert.equal(signed.takeUser("b", 1, 1_000), 100);
  assert.equal(signed.takeUser("a", 2, 1_000), 0);
  assert.equal(signed.takeUser("b", 1, 1_100), 0);
  assert.equal(signed.orderCount(1, 2_000), 0);
  const open = limits.forRoute(tickerRoute);
  for (let i = 0; i < 20; i++) assert.equal(open.takeAddress("a", 1_000), 0);
  assert.equal(open.takeAddress("a", 1_000), 50);
  assert.equal(open.takeAddress("b", 1_000), 0);
});

test("the eleventh order of a second is 429 with the headers and body of v2", async () => {
  const { app, engine, clock } = fakeGateway({ rateLimits: "standard" });
  for (let i = 1; i <= 10; i++) {
    const response = await send(app, placeOrderRequest());
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers["x-used-weight-10s"], String(i));
    assert.equal(response.headers["x-order-count-1s"], String(i));
  }
  const response = await send(app, placeOrderRequest());
  assert.equal(response.statusCode, 429);
  const { requestTime, ...rest } = response.json();
  assert.equal(typeof requestTime, "number");
  assert.deepEqual(rest, { code: "429", msg: "Too many requests", data: null });
  assert.equal(response.headers["retry-after"], "1");
  assert.equal(response.headers["x-used-weight-10s"], "10");
  assert.equal(engine.commands.length, 10);
  clock.monotonic += 100;
  assert.equal((await send(app, placeOrderRequest())).statusCode, 200);
});

test("failed authentication has a pool of its own", async () => {
  const { app } = fakeGateway({ rateLimits: "standard" });
  const statuses = { 400: 0, 429: 0 };
  for (let i = 0; i < POOL_WEIGHT + 5; i++) {
    const response = await send(app, placeOrderRequest(), { "access-sign": "wrong" });
    statuses[response.statusCode as 400 | 429]++;
  }
  assert.deepEqual(statuses, { 400: POOL_WEIGHT, 429: 5 });
  const response = await send(app, placeOrderRequest());
  assert.equal(response.statusCode, 200, "the right signature still passes");
});

test("v3 says -1003, and off means off", async () => {
  const limited = fakeGateway({ rateLimits: "standard" });
  const off = fakeGateway({ rateLimits: "off" });
  let last = await limited.app.inject({ url: "/api/v3/ping" });
  for (let i = 0; i < POOL_WEIGHT; i++) {
    last = await limited.app.inject({ url: "/api/v3/ping" });
    assert.equal((await off.app.inject({ url: "/api/v3/ping" })).statusCode, 200);
  }
  assert.equal(last.statusCode, 429);
  assert.deepEqual(last.json(), { code: -1003, msg: "Too many requests" });
  assert.equal(limited.clock.wall, WALL_MS, "limits count on the monotonic clock alone");
});

test("what was taken is what is used, at any time of a clock that counts fractions", () => {
  for (let i = 0; i < 10_000; i++) {
    const buckets = new TokenBuckets<string>(500, 20);
    const nowMs = 1_000 + i * 123.456_789;
    assert.equal(buckets.waitMs("a", 500, nowMs), 0, `at ${nowMs}`);
    buckets.take("a", 15, nowMs);
    assert.equal(buckets.used("a", nowMs), 15, `at ${nowMs}`);
  }
});
