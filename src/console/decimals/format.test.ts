/** Proves that amounts on the pages are cut and grouped exactly, at any length, never rounded. */
import assert from "node:assert/strict";
import test from "node:test";
import { decimalsOf, groupDecimal, percentOf, signed, signOf, toneOf } from "./format.ts";

test("whole parts are grouped, fractions are cut and filled", () => {
  assert.equal(groupDecimal("1234567.899", 2), "1,234,567.89");
  assert.equal(groupDecimal("-1234.5", 4), "-1,234.5000");
  assert.equal(groupDecimal("999.999", 0), "999");
  assert.equal(
    groupDecimal("12345678901234567890.123456789012345678"),
    "12,345,678,901,234,567,890.123456789012345678",
  );
  assert.equal(groupDecimal("0"), "0");
  assert.equal(groupDecimal("100"), "100");
});

test("the decimals of a step", () => {
  assert.equal(decimalsOf("0.01"), 2);
  assert.equal(decimalsOf("10"), 0);
});

test("a fraction as percent is cut and has its sign", () => {
  assert.equal(percentOf("-0.012399"), "-1.23%");
  assert.equal(percentOf("0.5"), "+50.00%");
  assert.equal(percentOf("12.3456789"), "+1234.56%");
  assert.equal(percentOf("0"), "0.00%");
  assert.equal(percentOf("0.00001"), "0.00%");
  assert.equal(percentOf("0.000125", 4), "+0.0125%");
});

test("the sign of a text", () => {
  assert.deepEqual(["1,000 USDT", "-1", "0.00 USDT"].map(signed), [
    "+1,000 USDT",
    "-1",
    "0.00 USDT",
  ]);
  assert.equal(signOf("0.000"), 0);
  assert.equal(signOf("-0.00"), 0);
  assert.equal(signOf("-0.01"), -1);
  assert.equal(toneOf("3"), "buy");
});
