/**
 * Proves arithmetic on stored decimal text against exact arithmetic that is written apart from it.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { exact, text } from "../../test/support/exact.ts";
import { type Random, scaled, seededRandom } from "../../test/support/random.ts";
import {
  addDecimals,
  compareDecimals,
  decimalUnits,
  negateDecimal,
  subtractDecimals,
} from "./index.ts";

const random = seededRandom("decimal text");

test("decimal text is read, compared, negated, added and subtracted exactly", () => {
  for (let i = 0; i < scaled(3_000); i++) {
    const left = randomAmount(random);
    const right = random.chance(0.1) ? left : randomAmount(random);
    assert.equal(decimalUnits(left, 18), exact(left));
    assert.equal(decimalUnits(negateDecimal(left), 18), -exact(left));
    assert.equal(negateDecimal(negateDecimal(left)), left);
    assert.equal(addDecimals(left, right), text(exact(left) + exact(right)));
    assert.equal(subtractDecimals(left, right), text(exact(left) - exact(right)));
    const difference = exact(left) - exact(right);
    const sign = difference > 0n ? 1 : difference < 0n ? -1 : 0;
    assert.equal(Math.sign(compareDecimals(left, right)), sign, `${left} and ${right}`);
  }
});

test("an amount finer than its scale is a broken invariant", () => {
  assert.equal(decimalUnits("1.25", 2), 125n);
  assert.throws(() => decimalUnits("1.255", 2), /finer than/);
});

/** Canonical, of up to 30 digits before the point. */
function randomAmount(source: Random): string {
  const digits = source.integer(0, 48);
  let units = 0n;
  for (let i = 0; i < digits; i++) units = units * 10n + BigInt(source.pick([0, 0, 1, 5, 9]));
  return text(units);
}
