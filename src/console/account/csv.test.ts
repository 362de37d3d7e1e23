/** Proves that a cell is what it was, and never a formula. */
import assert from "node:assert/strict";
import test from "node:test";
import { toCsv } from "./csv.ts";

test("names, numbers, quotes, empty cells and formulas", () => {
  const rows = [
    { id: 1, price: "-12.5", note: 'say "no", twice', symbol: null },
    { id: 2, price: "0.1", note: "=HYPERLINK(1)", symbol: "BTCUSDT" },
  ];
  const lines = [
    "id,price,note,symbol",
    '1,-12.5,"say ""no"", twice",',
    "2,0.1,'=HYPERLINK(1),BTCUSDT",
  ];
  assert.equal(toCsv(rows), lines.map((line) => `${line}\r\n`).join(""));
  assert.equal(toCsv([]), "\r\n");
});
