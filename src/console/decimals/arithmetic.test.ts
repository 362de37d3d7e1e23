/** Proves the text arithmetic against bigints on one common scale, over random amounts. */
import assert from "node:assert/strict";
import test from "node:test";
import { Random } from "../../../test/support/random.ts";
import {
  compare,
  cutToStep,
  dividedDown,
  isAmount,
  isMultiple,
  minus,
  plus,
  times,
} from "./arithmetic.ts";

const SCALE = 8;
const ROUNDS = 2_000;

function randomText(random: Random): string {
  const decimals = random.integer(0, SCALE);
  const units = random.integer(0, 10 ** random.integer(1, 12));
  const sign = random.chance(0.3) && units > 0 ? "-" : "";
  const digits = String(units).padStart(decimals + 1, "0");
  const at = digits.length - decimals;
  return `${sign}${digits.slice(0, at)}${decimals === 0 ? "" : `.${digits.slice(at)}`}`;
}

function unitsOf(text: string, scale: number): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(scale, "0"));
}

test("sums, differences, products and order are those of the integers", () => {
  const random = new Random(20_261_122);
  for (let round = 0; round < ROUNDS; round++) {
    const [left, right] = [randomText(random), randomText(random)];
    const [one, other] = [unitsOf(left, SCALE), unitsOf(right, SCALE)];
    assert.equal(unitsOf(plus(left, right), SCALE), one + other);
    assert.equal(unitsOf(minus(left, right), SCALE), one - other);
    assert.equal(unitsOf(times(left, right), 2 * SCALE), one * other);
    assert.equal(compare(left, right), one < other ? -1 : one > other ? 1 : 0);
    if (other !== 0n) {
      assert.equal(unitsOf(dividedDown(left, right, 4), 4), (one * 10_000n) / other);
    }
  }
});

test("results have no needless zeros", () => {
  assert.equal(plus("0.5", "0.5"), "1");
  assert.equal(minus("1", "1.0"), "0");
  assert.equal(times("0.1", "0.10"), "0.01");
  assert.equal(dividedDown("1", "0", 2), "0");
});

test("steps", () => {
  assert.equal(cutToStep("1.2399", "0.01"), "1.23");
  assert.equal(cutToStep("7", "2.5"), "5");
  assert.ok(isMultiple("0.15", "0.05"));
  assert.ok(!isMultiple("0.16", "0.05"));
});

test("what is typed and no amount", () => {
  for (const text of ["", "-1", "1e3", " 1", "01", ".5", "1.", "1,5", "１"]) {
    assert.ok(!isAmount(text), text);
  }
  for (const text of ["0", "1", "0.000000000000000001", "123456789012345678"]) {
    assert.ok(isAmount(text), text);
  }
  assert.throws(() => plus("x", "1"), RangeError);
});
