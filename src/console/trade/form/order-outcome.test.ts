/** Proves that a trader is told what an order did, not only that it was taken. */
import assert from "node:assert/strict";
import test from "node:test";
import { EMPTY_DRAFT } from "./order-draft.ts";
import { outcomeOf } from "./order-outcome.ts";

const RULES = { baseAsset: "BTC", priceDecimals: 1 };
const DRAFT = { ...EMPTY_DRAFT, price: "80000" };
const RESTING = {
  orderId: 7,
  side: "BUY",
  origQty: "0.3",
  executedQty: "0",
  cummulativeQuoteQty: "0",
  status: "NEW",
} as const;

test("an order that rests says where", () => {
  const { text, tone } = outcomeOf(DRAFT, RESTING, RULES);
  assert.equal(text, "Limit buy placed at 80,000");
  assert.equal(tone, "good");
});

test("a filled one says how much and at what average, cut to the tick", () => {
  const filled = { ...RESTING, executedQty: "0.3", cummulativeQuoteQty: "24000.1" } as const;
  const { text } = outcomeOf(DRAFT, { ...filled, status: "FILLED" }, RULES);
  assert.equal(text, "Bought 0.3 BTC at 80,000.3");
});

test("of a part, the rest is named", () => {
  const part = {
    ...RESTING,
    side: "SELL",
    executedQty: "0.1",
    cummulativeQuoteQty: "8000",
  } as const;
  const open = outcomeOf(DRAFT, { ...part, status: "NEW" }, RULES);
  assert.equal(open.text, "Sold 0.1 of 0.3 BTC at 80,000, rest in the book");
  const over = outcomeOf(DRAFT, { ...part, status: "CANCELED" }, RULES);
  assert.equal(over.text, "Sold 0.1 of 0.3 BTC at 80,000, rest cancelled");
});

test("one that ended without a fill says why", () => {
  const why = (change: Partial<typeof EMPTY_DRAFT>): string =>
    outcomeOf({ ...DRAFT, ...change }, { ...RESTING, status: "CANCELED" }, RULES).text;
  assert.match(
    why({ timeInForce: "POST_ONLY" }),
    /cancelled: post-only, but it would have matched at 80,000/,
  );
  assert.match(why({ timeInForce: "FOK" }), /could not be filled in full at 80,000 or better/);
  assert.match(why({ timeInForce: "IOC" }), /no fill at/);
  assert.match(why({ kind: "MARKET", price: "" }), /no orders on the other side/);
});
