/**
 * The premium by example: the average price of the impact notional on each side, sides that are too
 * thin, and the rounding. How samples add up over time is the subject of the timers' test, which
 * compares with an oracle of its own.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ContractFixture } from "../../../../test/support/engine/contract-fixture.ts";
import { type Quote, quote } from "../../../../test/support/engine/quoted-book.ts";
import type { ContractMarket } from "../state/contract-market.ts";
import { accountMinutes, isMinuteDue, premiumE12, premiumSoFar, samplePremium } from "./premium.ts";

/** At an index of 10,000 a lot of 0.001 is worth 10, so the impact notional takes 1,000 lots. */
const INDEX = 100_000;

function listed(): readonly [ContractFixture, ContractMarket] {
  const context = new ContractFixture();
  const market = context.list({ impactNotional: "10000" });
  market.indexPrice.ticks = INDEX;
  return [context, market];
}

function premium(bids: readonly Quote[], asks: readonly Quote[]): bigint {
  const [context, market] = listed();
  quote(market.book, context.state.contract.orders, bids, asks);
  return premiumE12(context.state, market);
}

test("the premium is how far the impact bid is above the index, or the impact ask below it", () => {
  const enough = 100_000;
  assert.equal(premium([], []), 0n);
  assert.equal(premium([[100_100, enough]], [[100_200, enough]]), 1_000_000_000n);
  assert.equal(premium([[99_000, enough]], [[99_900, enough]]), -1_000_000_000n);
  assert.equal(premium([[99_900, enough]], [[100_100, enough]]), 0n, "the index is between");
  assert.equal(premium([[100_100, enough]], []), 1_000_000_000n, "one side is enough");
});

test("a side without the depth adds nothing", () => {
  // 1,000 lots at 10,010 are worth 10,010; 999 lots are worth 9,999.99.
  assert.equal(premium([[100_100, 999]], []), 0n);
  assert.ok(premium([[100_100, 1000]], []) > 0n);
  assert.equal(premium([], [[99_900, 1001]]), 0n, "9,999.99 of 10,000");
  assert.equal(premium([], [[99_900, 1002]]), -1_000_000_000n);
});

test("the impact price is the average over the levels, of the last one only what is needed", () => {
  // 500 lots at 10,100 and 500 at 10,000 would be 10,050; the rest of the notional is 4,950.
  const bids: readonly Quote[] = [
    [101_000, 500],
    [100_000, 5_000],
  ];
  // 10,000 / (0.5 + 4,950 / 10,000) = 10,050.2512…
  assert.equal(premium(bids, []), 5_025_125_628n);
  const many: readonly Quote[] = Array.from({ length: 50 }, (_, i) => [101_000 - i, 10] as const);
  const whole: readonly Quote[] = [...many, [100_000, 5_000]];
  const split: readonly Quote[] = [
    ...many,
    ...Array.from({ length: 500 }, () => [100_000, 10] as const),
  ];
  assert.equal(premium(split, []), premium(whole, []), "orders of one price are one level");
});

test("minutes that are not looked at repeat the last sample, and only with an index", () => {
  const [context, market] = listed();
  market.indexPrice.ticks = 0;
  const startMs = market.funding.premiumAtMs;
  accountMinutes(market, startMs + 120_000);
  assert.equal(premiumSoFar(market, startMs + 300_000).samples, 0);
  assert.ok(!isMinuteDue(market));
  market.indexPrice.ticks = INDEX;
  assert.ok(isMinuteDue(market));
  quote(market.book, context.state.contract.orders, [[100_100, 9_000]], []);
  context.events = [];
  samplePremium(context, market, startMs + 180_000);
  const [emitted] = context.emitted("premium-sampled");
  assert.deepEqual([emitted?.premiumE12, emitted?.samples], [1_000_000_000n, 1]);
  assert.ok(!isMinuteDue(market));
  const later = premiumSoFar(market, startMs + 359_999);
  assert.deepEqual(later, { sumE12: 3_000_000_000n, samples: 3 });
  accountMinutes(market, startMs + 300_000);
  assert.deepEqual(premiumSoFar(market, startMs + 359_999), later);
  quote(market.book, context.state.contract.orders, [[100_100, 9_001]], []);
  assert.ok(isMinuteDue(market), "the book is another");
});
