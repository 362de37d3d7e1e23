/**
 * Proves that a fingerprint is the same everywhere, tells kinds and boundaries apart, and rarely
 * collides.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Random, scaled, seededRandom } from "../../../test/support/random.ts";
import { type Fingerprint, fingerprint } from "./fingerprint.ts";

const seed = seededRandom("fingerprint").seed;

function hex({ high, low }: Fingerprint): string {
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}

test("known payloads keep their fingerprints: they stand in snapshots", () => {
  assert.equal(hex(fingerprint()), "f38c9196ad17ca58");
  assert.equal(hex(fingerprint("BTCUSDT|BUY|LIMIT|GTC|64000|0.01|base")), "44e9e3599ca0fc71");
  assert.equal(hex(fingerprint("BTCUSDT", 0, 64_000, Number.MAX_SAFE_INTEGER)), "862cd445cd4f3bc5");
});

test("kinds, boundaries, order and high bits count", () => {
  const payloads: (string | number)[][] = [
    [],
    [""],
    ["", ""],
    [0],
    [0, 0],
    [1],
    ["1"],
    [-1],
    [2 ** 32],
    [2 ** 32 + 1],
    [2 ** 52],
    ["ab", "c"],
    ["a", "bc"],
    ["abc"],
    ["cba"],
    ["abc\0"],
    [1, 2],
    [2, 1],
    ["é"],
    ["e"],
  ];
  const hashes = payloads.map((parts) => hex(fingerprint(...parts)));
  assert.equal(new Set(hashes).size, payloads.length);
  assert.deepEqual(
    payloads.map((parts) => hex(fingerprint(...parts))),
    hashes,
  );
});

test("only safe integers are numbers", () => {
  assert.throws(() => fingerprint(0.5), /safe integers/);
  assert.throws(() => fingerprint(2 ** 53), /safe integers/);
});

test("neighbouring payloads collide no more than chance allows", () => {
  const count = scaled(200_000);
  const both = new Set<string>();
  const highs = new Set<number>();
  const lows = new Set<number>();
  for (let i = 0; i < count; i++) {
    const price = 1_000 + Math.floor(i / 100);
    const one = fingerprint(`BTCUSDT|BUY|LIMIT|GTC|${price}|${i % 100}|base`);
    both.add(hex(one));
    highs.add(one.high);
    lows.add(one.low);
  }
  assert.equal(both.size, count);
  // n random 32-bit values have about n² / 2^33 collisions.
  const expected = count ** 2 / 2 ** 33;
  for (const half of [highs, lows]) assert.ok(count - half.size < 3 * expected + 20);
});

test("one changed bit changes about half of the 64", () => {
  const random = new Random(seed);
  const trials = scaled(20_000);
  let flipped = 0;
  let least = 64;
  for (let trial = 0; trial < trials; trial++) {
    const parts = [random.integer(0, 2 ** 31), random.integer(0, 2 ** 31), "BTCUSDT"] as const;
    const bit = 2 ** random.integer(0, 30);
    const changed = Math.floor(parts[0] / bit) % 2 === 0 ? parts[0] + bit : parts[0] - bit;
    const one = fingerprint(...parts);
    const other = fingerprint(changed, parts[1], parts[2]);
    const bits = bitCount(one.high ^ other.high) + bitCount(one.low ^ other.low);
    flipped += bits;
    least = Math.min(least, bits);
  }
  assert.ok(Math.abs(flipped / trials - 32) < 1, `mean ${flipped / trials}`);
  assert.ok(least > 5, `least ${least}`);
});

function bitCount(word: number): number {
  let count = 0;
  for (let rest = word >>> 0; rest !== 0; rest &= rest - 1) count++;
  return count;
}
