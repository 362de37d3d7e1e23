/** Proves when a market order asks first: by its value, by a thin book, and never where told so. */
import assert from "node:assert/strict";
import test from "node:test";
import { outlookOf } from "../book/fill-estimate.ts";
import { asksFirst } from "./confirm-limit.ts";
import { EMPTY_DRAFT } from "./order-draft.ts";

const BOOK = {
  bids: [
    ["100", "1"],
    ["99.5", "1"],
    ["95", "3"],
  ],
  asks: [["101", "5"]],
} as const;
const MARKET = { ...EMPTY_DRAFT, kind: "MARKET", side: "SELL" } as const;

test("the outlook walks the book, and thin is far from the best price or beyond the book", () => {
  const two = outlookOf(BOOK, "SELL", "2");
  assert.deepEqual(two, {
    averagePrice: "99.75",
    filled: "2",
    value: "199.5",
    slippage: "0.25",
    isThin: false,
  });
  assert.deepEqual([outlookOf(BOOK, "SELL", "4").slippage, true], ["2.62", true]);
  assert.equal(outlookOf(BOOK, "SELL", "4").isThin, true);
  assert.equal(outlookOf(BOOK, "BUY", "5").isThin, false);
  assert.equal(outlookOf(BOOK, "BUY", "5.1").isThin, true);
  assert.equal(outlookOf({ bids: [], asks: [] }, "BUY", "1").isThin, true);
});

test("market orders ask from the user's value on, limit orders never", () => {
  const asks = (quantity: string, limit: string, kind: "MARKET" | "LIMIT" = "MARKET") => {
    const fill = kind === "MARKET" ? outlookOf(BOOK, "SELL", quantity) : null;
    return asksFirst({ ...MARKET, kind, quantity }, "100", fill, limit);
  };
  assert.equal(asks("1", "101"), false);
  assert.equal(asks("1", "100"), true);
  assert.equal(asks("0.01", "0"), true);
  assert.equal(asks("4", "5000"), true, "the book is thin");
  assert.equal(asks("4", ""), false, "never");
  assert.equal(asks("900", "0", "LIMIT"), false);
});
