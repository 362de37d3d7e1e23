/** Proves that numbers are understood as they are written, and that nothing else is guessed at. */
import assert from "node:assert/strict";
import test from "node:test";
import { parseAmount } from "./parse-amount.ts";

test("a number that was copied from a page keeps its size", () => {
  assert.equal(parseAmount("91,874.80"), "91874.80");
  assert.equal(parseAmount(" 1,234,567 "), "1234567");
  assert.equal(parseAmount("80,000"), "80000");
  assert.equal(parseAmount("12 345.5"), "12345.5");
});

test("a decimal comma is a point, while it is typed and when it is whole", () => {
  let field = "";
  for (const key of "91874,85") field = parseAmount(field + key);
  assert.equal(field, "91874.85");
  assert.equal(parseAmount("0,125"), "0.125");
  assert.equal(parseAmount(".5"), "0.5");
  assert.equal(parseAmount("007"), "7");
});

test("what is no number stays for the form to name", () => {
  for (const text of ["1e3", "-5", "abc", "1.2.3", "0x10"]) assert.equal(parseAmount(text), text);
});
