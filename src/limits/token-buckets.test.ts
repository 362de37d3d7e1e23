/**
 * Goal: token buckets in a shared table admit what a naive bucket admits, and none is forgotten
 * before it is full again, however full the table is.
 * Method: random amounts and times against a bucket per key that counts tokens and forgets nothing,
 * in tables with more places than keys and with far fewer.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../test/support/random.ts";
import { createTableMemory, SharedTable, TokenBuckets } from "./index.ts";

const random = seededRandom("token buckets");

function tableOf(rows: number): SharedTable {
  return new SharedTable(createTableMemory(rows, Buffer.from(`${random.next()}`)));
}

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
    const buckets = new TokenBuckets(tableOf(1_024), "test", capacity, intervalMs);
    const model = new Map<number, NaiveBucket>();
    let nowMs = random.integer(1, 100_000);
    for (let step = 0; step < 500; step++) {
      nowMs += random.chance(0.5) ? 0 : random.integer(0, intervalMs * random.pick([1, 3, 40]));
      const key = random.integer(0, 5);
      const amount = random.integer(1, capacity);
      const naive = model.get(key) ?? new NaiveBucket(capacity, intervalMs);
      model.set(key, naive);
      buckets.aim(key);
      const waitMs = buckets.waitMs(amount, nowMs);
      assert.equal(waitMs, naive.waitMs(amount, nowMs));
      if (waitMs > 0) continue;
      buckets.take(amount, nowMs);
      naive.take(amount, nowMs);
      const taken = capacity * intervalMs - naive.available(nowMs);
      assert.equal(buckets.used(nowMs), Math.ceil(taken / intervalMs));
    }
  }
});

test("a full table makes new buckets wait for a place and forgets none", () => {
  let waited = 0;
  for (let round = 0; round < scaled(20); round++) {
    const buckets = new TokenBuckets(tableOf(32), "test", 10, 100);
    const model = new Map<number, NaiveBucket>();
    let nowMs = 1_000;
    for (let step = 0; step < 2_000; step++) {
      nowMs += random.chance(0.9) ? 0 : random.integer(0, 50);
      const key = random.integer(0, 200);
      const amount = random.integer(1, 10);
      const naive = model.get(key) ?? new NaiveBucket(10, 100);
      model.set(key, naive);
      buckets.aim(key);
      const waitMs = buckets.waitMs(amount, nowMs);
      assert.ok(waitMs >= naive.waitMs(amount, nowMs), "never sooner than the bucket allows");
      if (waitMs > naive.waitMs(amount, nowMs)) {
        waited++;
        assert.equal(naive.available(nowMs), 1_000, "only a full bucket has no place");
        assert.ok(waitMs <= 1_000, "a place is free when its bucket is full again");
      }
      if (waitMs > 0) continue;
      buckets.take(amount, nowMs);
      naive.take(amount, nowMs);
    }
  }
  console.log(`# token buckets: ${waited} waits for a place`);
  assert.ok(waited > 0);
});

test("a bucket that waited for a place gets it when the wait is over", () => {
  const buckets = new TokenBuckets(tableOf(16), "test", 10, 100);
  for (let key = 0; key < 16; key++) {
    buckets.aim(key);
    assert.equal(buckets.waitMs(key === 7 ? 2 : 10, 1_000), 0);
    buckets.take(key === 7 ? 2 : 10, 1_000);
  }
  buckets.aim("late");
  assert.equal(buckets.waitMs(1, 1_000), 200);
  assert.equal(buckets.waitMs(1, 1_199), 1);
  assert.equal(buckets.waitMs(1, 1_200), 0);
  buckets.take(1, 1_200);
  buckets.aim(3);
  assert.equal(buckets.waitMs(9, 1_200), 700, "the others are as they were");
});

test("two buckets with one free place: neither takes the other's", () => {
  const table = tableOf(16);
  const [one, other] = ["one", "other"].map((kind) => new TokenBuckets(table, kind, 10, 100));
  assert.ok(one !== undefined && other !== undefined);
  for (let key = 0; key < 15; key++) {
    one.aim(key);
    assert.equal(one.waitMs(10, 1_000), 0);
    one.take(10, 1_000);
  }
  one.aim("last");
  other.aim("last");
  assert.equal(one.waitMs(1, 1_000), 0);
  assert.ok(other.waitMs(1, 1_000, one.row) > 0);
  assert.equal(other.waitMs(1, 1_000), 0);
});

test("what was taken is what is used, at any time of a clock that counts fractions", () => {
  for (let i = 0; i < 10_000; i++) {
    const buckets = new TokenBuckets(tableOf(16), "test", 500, 20);
    const nowMs = 1_000 + i * 123.456_789;
    buckets.aim("a");
    assert.equal(buckets.waitMs(500, nowMs), 0, `at ${nowMs}`);
    buckets.take(15, nowMs);
    assert.equal(buckets.used(nowMs), 15, `at ${nowMs}`);
  }
});
