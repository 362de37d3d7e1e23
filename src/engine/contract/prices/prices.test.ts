/**
 * Index and mark by example: how an operator's index is rounded and bounded, what a pin does, the
 * bounds of the basis, who is told of a change, and what refuses. How they follow time is the
 * subject of the timers' test.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ContractFixture } from "../../../../test/support/engine/contract-fixture.ts";
import { type Quote, quote } from "../../../../test/support/engine/quoted-book.ts";
import { accept, type Result } from "../../../domain/index.ts";
import { RULES_VERSION } from "../../rules-version.ts";
import {
  addSample,
  dropOld,
  meanTicks,
  medianTicks,
  repeatLast,
} from "../formulas/price-samples.ts";
import type { ContractMarket } from "../state/contract-market.ts";
import { indexAtMs, isFresh, pinMarkPrice, refreshMark, setIndexPrice } from "./prices.ts";
import { sampleSecond } from "./sampling.ts";

function listed(): readonly [ContractFixture, ContractMarket] {
  const context = new ContractFixture();
  const market = context.list();
  context.events = [];
  return [context, market];
}

function setIndex(
  context: ContractFixture,
  price: string,
  symbol = "BTCUSDT",
  force = false,
): Result<null> {
  return setIndexPrice(context, { type: "set-index-price", actor: "op", symbol, price, force });
}

function pin(context: ContractFixture, price: string | null): Result<null> {
  const symbol = "BTCUSDT";
  return pinMarkPrice(context, { type: "pin-mark-price", actor: "op", symbol, price });
}

function reasonOf(result: Result<null>): readonly [string, string | null] | null {
  return result.ok ? null : [result.reason, result.field];
}

test("the operator's index is rounded half up to the tick, and the mark follows it", () => {
  for (const [price, ticks] of [
    ["0.05", 1],
    ["60000", 600_000],
    ["60000.04999999", 600_000],
    ["60000.05", 600_001],
    ["60000.149999999999999999", 600_001],
    ["439804651110.4", 2 ** 42],
  ] as const) {
    const [context, market] = listed();
    assert.deepEqual(setIndex(context, price), accept(null), price);
    assert.equal(market.indexPrice.ticks, ticks, price);
    assert.equal(market.mark.ticks, ticks, price);
    const prices = { symbol: "BTCUSDT", indexTicks: ticks };
    assert.deepEqual(context.events, [
      { type: "index-price-set", actor: "op", ...prices },
      { type: "contract-prices-changed", ...prices, markTicks: ticks },
    ]);
  }
});

test("an index or pin that cannot be is refused, and changes nothing", () => {
  const [context, market] = listed();
  const cases = [
    ["0", "out-of-range"],
    ["0.049999999999999999", "out-of-range"],
    ["439804651110.5", "out-of-range"],
    ["-1", "malformed"],
    ["1e3", "malformed"],
    ["", "malformed"],
  ] as const;
  for (const [price, reason] of cases) {
    assert.deepEqual(reasonOf(setIndex(context, price)), [reason, "price"], price);
  }
  for (const [price, reason] of [
    ["0", "out-of-range"],
    ["0.05", "off-tick"],
    ["439804651110.5", "out-of-range"],
    ["99999999999999999", "out-of-range"],
    ["x", "malformed"],
  ] as const) {
    assert.deepEqual(reasonOf(pin(context, price)), [reason, "price"], price);
  }
  assert.deepEqual(reasonOf(setIndex(context, "1", "NONE")), ["unknown-symbol", "symbol"]);
  const nowhere = { type: "pin-mark-price", actor: "", symbol: "NONE", price: null } as const;
  assert.deepEqual(reasonOf(pinMarkPrice(context, nowhere)), ["unknown-symbol", "symbol"]);
  assert.deepEqual([context.events, market.mark.ticks, market.indexPrice.ticks], [[], 0, 0]);
});

test("a price that is far from the last has to be meant, but not when the last is stale", () => {
  const far = (given: string, force = false) =>
    reasonOf(setIndex(context, given, "BTCUSDT", force));
  const [context, market] = listed();
  const refused = ["index-step-too-large", "price"];
  assert.equal(far("60000"), null, "the first one");
  for (const price of ["66000.1", "53999.9", "600000", "0.1"]) {
    context.events = [];
    assert.deepEqual(far(price), refused, price);
    assert.deepEqual([context.events, market.indexPrice.ticks], [[], 600_000]);
  }
  for (const price of ["66000", "60000", "54000", "59400", "53460"]) {
    assert.equal(far(price), null, `${price} is just within a tenth`);
  }
  assert.equal(far("600000", true), null, "forced");
  context.nowMs += 60_000;
  assert.deepEqual(far("60000"), refused, "just not stale");
  context.nowMs += 1;
  assert.equal(far("60000"), null, "stale");
  context.state.rulesVersion = 2;
  assert.equal(far("600000"), null, "earlier rules had no limit");
});

test("the limit of a step is the contract's own", () => {
  const context = new ContractFixture();
  context.list({ indexStepLimit: "0.00000001", indexStaleMs: 0 });
  assert.ok(setIndex(context, "10000000").ok);
  context.nowMs += 1_000_000_000;
  const result = setIndex(context, "10000000.2");
  assert.deepEqual(reasonOf(result), ["index-step-too-large", "price"], "never stale");
  const { detail } = result as { detail: string };
  assert.equal(detail, "at most 0.000001 % from 10000000; send force true if it is right");
  assert.ok(setIndex(context, "10000000.1").ok);
});

test("a pin holds the mark, whatever the index does, and keeps it fresh", () => {
  const [context, market] = listed();
  assert.ok(!isFresh(context.state, market, context.nowMs), "no index yet");
  pin(context, "61000.5");
  assert.deepEqual(
    [market.mark.ticks, isFresh(context.state, market, context.nowMs)],
    [610_005, true],
  );
  context.events = [];
  assert.ok(pin(context, "61000.5").ok);
  assert.deepEqual(context.events, [], "the same pin again is nothing");
  setIndex(context, "60000");
  assert.equal(market.mark.ticks, 610_005);
  const [emitted] = context.emitted("contract-prices-changed");
  assert.deepEqual([emitted?.indexTicks, emitted?.markTicks], [600_000, 610_005]);
  context.nowMs += 1_000_000;
  assert.ok(isFresh(context.state, market, context.nowMs));
  pin(context, null);
  assert.deepEqual(
    [market.mark.ticks, isFresh(context.state, market, context.nowMs)],
    [600_000, false],
  );
});

test("an index is fresh for as long as the market says, to the millisecond", () => {
  const [context, market] = listed();
  setIndex(context, "60000");
  const atMs = context.nowMs;
  assert.equal(indexAtMs(context.state, market, atMs + 5_000), atMs);
  assert.ok(isFresh(context.state, market, atMs + 60_000));
  assert.ok(!isFresh(context.state, market, atMs + 60_001));
  context.nowMs += 70_000;
  setIndex(context, "60000");
  assert.ok(isFresh(context.state, market, context.nowMs), "the same price again makes it fresh");
});

/** Lots of any price here that are worth more than the impact notional. */
const DEEP = 1_000_000;

/** The mark with an index and a book that stood for so many seconds. */
function markOf(
  index: string,
  bids: readonly Quote[],
  asks: readonly Quote[],
  seconds = 30,
  rules = RULES_VERSION,
): number {
  const [context, market] = listed();
  context.state.rulesVersion = rules;
  setIndex(context, index);
  quote(market.book, context.state.contract.orders, bids, asks);
  for (let second = 1; second <= seconds; second++) {
    sampleSecond(context, market, context.nowMs + second * 1000);
  }
  return market.mark.ticks;
}

test("the basis is the middle of the book over half a minute, half ticks upwards, bounded", () => {
  const cases: readonly (readonly [string, number, number, number])[] = [
    ["1000", 10_003, 10_005, 10_004],
    ["1000", 10_003, 10_006, 10_005],
    ["1000", 9_995, 9_996, 9_996],
    ["1000", 10_010, 10_032, 10_021],
    // 1 % for 100x, less 0.5 % and the fee of 0.08 %, halved: 0.21 %.
    ["1000", 10_020, 10_024, 10_021],
    ["1000", 9_979, 9_979, 9_979],
    ["1000", 9_900, 9_960, 9_979],
    ["1000.1", 20_000, 20_001, 10_022],
    ["1000.1", 9_000, 9_001, 9_980],
    ["0.1", 1, 900, 1],
  ];
  for (const [index, bid, ask, mark] of cases) {
    assert.equal(markOf(index, [[bid, DEEP]], [[ask, DEEP]]), mark, `${index}: ${bid}/${ask}`);
  }
  assert.equal(markOf("1000", [[10_040, DEEP]], []), 10_000, "nothing to buy from");
  assert.equal(markOf("1000", [], [[10_060, DEEP]]), 10_000, "nothing to sell to");
});

test("a second has a thirtieth of the weight, and only with the depth at a narrow spread", () => {
  const [bids, asks] = [[[10_058, DEEP]], [[10_062, DEEP]]] as const;
  assert.deepEqual(
    [1, 2, 3, 10].map((seconds) => markOf("1000", bids, asks, seconds)),
    [10_002, 10_004, 10_006, 10_020],
  );
  // 10,000 at 1,006.2 is 9,938.38… lots of 0.001.
  assert.equal(markOf("1000", bids, [[10_062, 9_938]]), 10_000);
  assert.equal(markOf("1000", bids, [[10_062, 9_939]]), 10_021);
  // The spread may be a fiftieth of the middle.
  assert.equal(markOf("1000", [[9_999, DEEP]], [[10_201, DEEP]]), 10_021);
  assert.equal(markOf("1000", [[9_999, DEEP]], [[10_202, DEEP]]), 10_000);
  // Half of the notional at 1,006.2, the rest where nobody trades.
  assert.equal(
    markOf("1000", bids, [
      [10_062, 5_000],
      [20_000, DEEP],
    ]),
    10_000,
  );
});

test("under the first rules a single sample carries all, up to half a percent", () => {
  const first = (bid: number, ask: number) => markOf("1000", [[bid, 1]], [[ask, 1]], 1, 2);
  assert.equal(first(10_003, 10_006), 10_005);
  assert.equal(first(10_050, 10_052), 10_050);
  assert.equal(first(9_900, 9_960), 9_950);
  assert.equal(markOf("1000", [[10_040, 1]], [], 1, 2), 10_000);
});

test("the bound is half of what the highest leverage leaves over maintenance and fee", () => {
  const tier = (maintenanceMarginRate: string, maxLeverage: number, maxNotional = "1") => {
    return { maintenanceMarginRate, maxLeverage, maxNotional };
  };
  for (const [maxLeverage, tiers, boundE8] of [
    [100, [tier("0.005", 100)], 210_000],
    [50, [tier("0.005", 100)], 500_000],
    [125, [tier("0.004", 125)], 160_000],
    [30, [tier("0.005", 30), tier("0.031", 30, "2")], 76_666],
    [100, [tier("0.00920001", 100)], 0],
    [100, [tier("0.0099", 100)], 0],
  ] as const) {
    const { rules } = new ContractFixture().list({ maxLeverage, defaultLeverage: 20, tiers });
    assert.equal(rules.markBoundE8, boundE8);
  }
});

test("a change of the index moves the mark with the basis that was seen", () => {
  const [context, market] = listed();
  setIndex(context, "1000");
  quote(market.book, context.state.contract.orders, [[10_010, DEEP]], [[10_012, DEEP]]);
  for (let second = 1; second <= 30; second++) {
    sampleSecond(context, market, context.nowMs + second * 1000);
  }
  assert.equal(market.mark.ticks, 10_011);
  const { liquidityRevision } = context.state.contract;
  context.events = [];
  setIndex(context, "1001");
  assert.equal(market.mark.ticks, 10_021);
  assert.equal(context.state.contract.liquidityRevision, liquidityRevision + 1);
  refreshMark(context, market);
  assert.equal(context.emitted("contract-prices-changed").length, 1, "told once");
});

test("a ring keeps thirty seconds, and repeats what was not looked at", () => {
  const ring = [{ atMs: 1_000, halfTicks: 4 }];
  addSample(ring, 2_000, 8, 30);
  repeatLast(ring, 2_000, 5_000, 30);
  assert.deepEqual(
    ring.map(({ halfTicks }) => halfTicks),
    [4, 8, 8, 8, 8],
  );
  dropOld(ring, 31_000, 30);
  assert.equal(ring.length, 4, "thirty seconds old is too old");
  repeatLast(ring, 4_000, 9_000, 30);
  assert.equal(ring.length, 4, "nothing was sampled then");
  repeatLast(ring, 5_000, 1_005_000, 30);
  assert.deepEqual([ring.length, ring[0]?.atMs, ring.at(-1)?.atMs], [30, 976_000, 1_005_000]);
});

test("median and mean are rounded half up to the tick", () => {
  const ring = (...halves: number[]) => halves.map((halfTicks, i) => ({ atMs: i, halfTicks }));
  for (const [halves, ticks] of [
    [[7], 4],
    [[6], 3],
    [[9, 1, 4], 2],
    [[1, 2], 1],
    [[2, 4, 100, 0], 2],
    [[3, 4], 2],
    [[4, 5, 5, 9], 3],
  ] as const) {
    assert.equal(medianTicks(ring(...halves)), ticks, String(halves));
  }
  for (const [halves, ticks] of [
    [[1], 1],
    [[-1], 0],
    [[-3], -1],
    [[1, 2, 2], 1],
    [[-5, -5, -5], -2],
    [[0, 0, 2], 0],
  ] as const) {
    assert.equal(meanTicks(ring(...halves), halves.length), ticks, String(halves));
  }
  assert.equal(meanTicks(ring(29, 0, 0), 30), 0, "29 of 60");
  assert.equal(meanTicks(ring(30), 30), 1, "seconds without a sample are nothing");
});
