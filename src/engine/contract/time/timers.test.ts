/**
 * Proves the rules of timers by example: a quiet market fires at its slots alone, an index that is
 * too old stops what needs it, and slots that were missed are made up for within ten minutes.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ContractFixture } from "../../../../test/support/engine/contract-fixture.ts";
import { openPair } from "../../../../test/support/engine/paired-positions.ts";
import type { Quote } from "../../../../test/support/engine/quoted-book.ts";
import { TimedFixture } from "../../../../test/support/engine/timed-fixture.ts";
import type { User } from "../../state.ts";
import { indexAtMs, isMarkReliable } from "../prices/prices.ts";
import type { ContractMarket } from "../state/contract-market.ts";
import { advanceTime, nextDueMs, resume } from "./timers.ts";

const MINUTE_MS = 60_000;
const START_MS = new ContractFixture().nowMs;

/** A market with an index of 10,000 and a book around it, sampled until nothing changes. */
function quiet(): readonly [TimedFixture, ContractMarket] {
  const clock = new TimedFixture();
  const market = clock.list();
  clock.command(START_MS + 100, () => clock.setIndex(market, "10000"));
  const levels: Quote[] = [[100_010, 1000]];
  clock.command(START_MS + 200, () => clock.quote(market, [[100_002, 1000]], levels));
  for (let second = 1; second <= 60; second++) clock.advance(START_MS + second * 1000);
  return [clock, market];
}

test("a quiet market is left alone until its slot", () => {
  const [clock, market] = quiet();
  assert.equal(clock.advances, 31, "thirty samples, and the premium at the minute");
  assert.equal(market.mark.ticks, 100_006);
  assert.equal(nextDueMs(clock.state), START_MS + 480 * MINUTE_MS);
  clock.events = [];
  clock.advance(START_MS + 480 * MINUTE_MS + 5);
  const types = clock.events.map(({ type }) => type);
  assert.deepEqual(types, ["timer-fired", "funding-settled"]);
  const [settled] = clock.emitted("funding-settled");
  assert.deepEqual([settled?.premiumSamples, settled?.rateE8], [480, 10_000n]);
  assert.equal(clock.advances, 32);
});

test("the events of a timer carry its own time, and come in the order of time", () => {
  const [clock, market] = quiet();
  clock.command(START_MS + 119_300, () => clock.quote(market, [[99_850, 2000]], [[99_860, 2000]]));
  clock.events = [];
  clock.advance(START_MS + 121_000);
  const emitted = clock.events.map((event) =>
    event.type === "timer-fired" ? event.timestampMs - START_MS : event.type,
  );
  assert.deepEqual(emitted, [
    120_000,
    "contract-prices-changed",
    "premium-sampled",
    121_000,
    "contract-prices-changed",
  ]);
});

test("with a side gone the mark drifts to the index in half a minute, and back as slowly", () => {
  const [clock, market] = quiet();
  const at = (second: number) => START_MS + second * 1000;
  const marks = (from: number, to: number) => {
    const seen: number[] = [];
    for (let second = from; second <= to; second++) {
      clock.advance(at(second));
      seen.push(market.mark.ticks);
    }
    return seen;
  };
  clock.command(at(70) + 1, () => clock.quote(market, [[100_002, 1000]], []));
  assert.equal(market.mark.ticks, 100_006, "at once nothing");
  const down = marks(71, 100);
  assert.deepEqual([down[0], down[14], down[29]], [100_006, 100_003, 100_000]);
  assert.equal(market.mark.samples.length, 0);
  clock.command(at(100) + 1, () => clock.quote(market, [[100_002, 1000]], [[100_010, 1000]]));
  const up = marks(101, 130);
  assert.deepEqual([up[0], up[14], up[29]], [100_000, 100_003, 100_006]);
  for (const [i, ticks] of up.slice(1).entries()) assert.ok(ticks - (up[i] as number) <= 1);
});

test("what was last seen stands for a short stop, after a long one liquidations wait", () => {
  for (const [downMs, mark, waits] of [
    [30_000, 100_006, false],
    [31_000, 100_000, true],
  ] as const) {
    const [clock, market] = quiet();
    clock.command(START_MS + 60_000, () => clock.change());
    clock.restart(downMs);
    assert.equal(market.mark.ticks, mark);
    const reliable = () => isMarkReliable(clock.state, market, clock.nowMs);
    clock.command(clock.nowMs, () => clock.setIndex(market, "10000"));
    assert.equal(reliable(), !waits);
    if (!waits) continue;
    const fromMs = clock.nowMs + 30_000;
    clock.advance(fromMs - 1);
    assert.equal(reliable(), false);
    clock.advance(fromMs);
    assert.deepEqual([reliable(), market.mark.riskFromMs], [true, 0]);
  }
});

test("a position that became due while liquidations waited goes by the timer alone", () => {
  const clock = new TimedFixture();
  const market = clock.list({ indexStaleMs: 0 });
  clock.command(START_MS + 1, () => clock.setIndex(market, "60000"));
  const holders = [1, 2].map((uid) => clock.user(uid, market, 10n ** 14n));
  const pair = { market, holders: holders as [User, User], priceTicks: 600_000, positionId: 1 };
  openPair(clock.state, { ...pair, marginType: "ISOLATED", lots: 100, leverage: 20 });
  clock.restart(60_000);
  const fromMs = START_MS + 90_000;
  clock.command(START_MS + 61_000, () => clock.setIndex(market, "55000"));
  assert.equal(market.positions.size, 2);
  // The book is empty, so there is nothing to look at in the seconds between.
  clock.advance(START_MS + 63_000);
  assert.equal(nextDueMs(clock.state), fromMs);
  clock.advance(fromMs);
  assert.equal(market.positions.size, 0);
});

test("a slot that was missed is made up for within ten minutes, once the mark is fresh", () => {
  for (const [lateMs, madeUp] of [
    [600_000, true],
    [600_001, false],
  ] as const) {
    const [clock, market] = quiet();
    const slotMs = START_MS + 480 * MINUTE_MS;
    clock.events = [];
    clock.restart(slotMs + lateMs - clock.nowMs);
    assert.equal(market.funding.pendingSlotMs, madeUp ? slotMs : 0);
    assert.equal(market.funding.nextSlotMs, slotMs + 480 * MINUTE_MS);
    assert.deepEqual(clock.emitted("funding-settled"), [], "the index is hours old");
    clock.command(clock.nowMs + 1, () => clock.setIndex(market, "10000"));
    const settled = clock.emitted("funding-settled").map((event) => event.slotMs);
    assert.deepEqual(settled, madeUp ? [slotMs] : []);
  }
});

test("a slot that waits counts every minute until it is settled", () => {
  const [clock, market] = quiet();
  const slotMs = START_MS + 480 * MINUTE_MS;
  clock.restart(slotMs + MINUTE_MS - clock.nowMs);
  clock.advance(slotMs + 4 * MINUTE_MS);
  clock.events = [];
  clock.command(slotMs + 4 * MINUTE_MS + 1, () => clock.setIndex(market, "10000"));
  const [settled] = clock.emitted("funding-settled");
  // One from before the stop, and three from behind it.
  assert.deepEqual([settled?.slotMs, settled?.premiumSamples], [slotMs, 4]);
});

test("premiums outlive a restart, but not a slot that is skipped", () => {
  for (const downMinutes of [1, 13]) {
    const [clock, market] = quiet();
    const atMs = START_MS + 478 * MINUTE_MS + 1;
    clock.command(atMs, () => clock.setIndex(market, "10001"));
    clock.restart(downMinutes * MINUTE_MS);
    assert.equal(market.funding.premiumSamples, downMinutes === 1 ? 478 : 0);
  }
});

test("the first index needs fifteen samples, a later one eight, and goes there by steps", () => {
  const clock = new TimedFixture();
  const market = clock.list();
  clock.listSpot(market.symbol, "BTC");
  const at = (second: number) => START_MS + second * 1000;
  const book = (price: number) => () =>
    clock.quoteSpot(market, [[price, 1000]], [[price + 2, 1000]]);
  clock.command(at(0) + 1, book(20_000));
  clock.advance(at(14));
  assert.equal(market.indexPrice.ticks, 0);
  clock.advance(at(15));
  assert.equal(market.indexPrice.ticks, 100_005);
  clock.command(at(15) + 1, () => clock.quoteSpot(market, [], []));
  clock.advance(at(25));
  const ageMs = () => clock.nowMs - indexAtMs(clock.state, market, clock.nowMs);
  assert.equal(ageMs(), 3_000, "seven of fifteen since three seconds");
  clock.advance(at(40));
  clock.command(at(40) + 1, book(20_200));
  clock.advance(at(47));
  assert.deepEqual([market.indexPrice.ticks, ageMs()], [100_005, 25_000]);
  clock.advance(at(48));
  assert.deepEqual([market.indexPrice.ticks, ageMs()], [100_205, 0], "0.2 % a second");
  clock.advance(at(49));
  assert.equal(market.indexPrice.ticks, 100_405);
  clock.advance(at(60));
  assert.equal(market.indexPrice.ticks, 101_005);
});

test("a spot book that did not change since a restart gives no index, nor a halted one", () => {
  const clock = new TimedFixture();
  const market = clock.list();
  clock.listSpot(market.symbol, "BTC");
  const book = (price: number) => () =>
    clock.quoteSpot(market, [[price, 1000]], [[price + 2, 1000]]);
  clock.command(START_MS + 1, book(20_000));
  for (let second = 1; second <= 20; second++) clock.advance(START_MS + second * 1000);
  assert.equal(market.indexPrice.ticks, 100_005);
  clock.command(START_MS + 20_000, () => clock.change());
  clock.restart(1_000);
  assert.equal(nextDueMs(clock.state), START_MS + MINUTE_MS, "only the premium is sampled");
  assert.equal(indexAtMs(clock.state, market, clock.nowMs), START_MS + 20_000);
  clock.command(START_MS + 22_500, book(20_010));
  clock.advance(START_MS + 29_000);
  assert.equal(market.indexPrice.ticks, 100_005, "seven samples");
  clock.advance(START_MS + 30_000);
  assert.equal(market.indexPrice.ticks, 100_055, "the samples before are gone");
  clock.command(START_MS + 50_001, () => clock.setSpotState(market, "halted"));
  clock.advance(START_MS + 80_000);
  assert.equal(indexAtMs(clock.state, market, clock.nowMs), START_MS + 57_000, "eight were left");
  assert.deepEqual([market.indexPrice.ticks, market.indexPrice.spotSamples], [100_055, []]);
});

const FIRST_INDEX_MS = START_MS + 15_000;

/** Five longs that the first index liquidates, so many steps at a time. */
function crash(stepsMax: number): TimedFixture {
  const clock = new TimedFixture();
  const market = clock.list();
  clock.listSpot(market.symbol, "BTC");
  for (let pair = 0; pair < 5; pair++) {
    const users = [0, 1].map((side) => clock.user(1 + 2 * pair + side, market, 10n ** 14n));
    openPair(clock.state, {
      market,
      holders: users as [User, User],
      marginType: pair % 2 === 0 ? "ISOLATED" : "CROSSED",
      priceTicks: 600_000,
      lots: pair % 2 === 0 ? 100 : 200_000,
      leverage: 20,
      positionId: clock.state.nextOrderId,
    });
    clock.state.nextOrderId += 2;
  }
  const quotes = [[[109_999, 1000]], [[110_001, 1000]]] as const;
  clock.command(START_MS + 500, () => clock.quoteSpot(market, ...quotes));
  clock.advance(FIRST_INDEX_MS - 1);
  clock.events = [];
  clock.stepsMax = stepsMax;
  clock.advance(FIRST_INDEX_MS + 500);
  assert.equal(market.mark.ticks, 550_000);
  return clock;
}

test("a cascade that is cut into slices is that of one command, at the time of its timer", () => {
  const whole = crash(1000);
  const ended = whole.events.filter((event) => event.type === "contract-order-ended");
  assert.ok(ended.length >= 5, "liquidated and deleveraged");
  for (const { createdMs } of ended) assert.equal(createdMs, FIRST_INDEX_MS);
  const withoutTimers = ({ events }: TimedFixture) =>
    events.filter(({ type }) => type !== "timer-fired");
  for (const stepsMax of [1, 2, 3]) {
    const sliced = crash(stepsMax);
    const fired = sliced.events.filter((event) => event.type === "timer-fired");
    assert.ok(fired.length > 1, "it was cut");
    for (const { timestampMs } of fired) assert.equal(timestampMs, FIRST_INDEX_MS);
    assert.deepEqual(withoutTimers(sliced), withoutTimers(whole));
  }
});

test("without a market, time changes nothing", () => {
  const clock = new TimedFixture();
  clock.nowMs += 1_000_000_000;
  assert.equal(nextDueMs(clock.state), Number.POSITIVE_INFINITY);
  assert.ok(resume(clock).ok);
  assert.ok(advanceTime(clock, { type: "advance-time", toMs: clock.nowMs }).ok);
  assert.deepEqual(clock.events, []);
});

test("a restart leaves one trace in a market that has no price yet", () => {
  const clock = new TimedFixture();
  const market = clock.list();
  clock.listSpot(market.symbol, "BTC");
  clock.command(START_MS + 10, () => clock.quoteSpot(market, [[20_000, 1]], []));
  clock.advance(START_MS + 2_000);
  clock.events = [];
  clock.restart(60_000);
  assert.equal(clock.events.length, 1, "its spot book has to change");
  clock.advance(clock.nowMs + 2_000);
  clock.events = [];
  clock.restart(60_000);
  assert.deepEqual(clock.events, [], "as is known");
  clock.command(clock.nowMs, () => clock.quoteSpot(market, [[20_000, 1]], [[20_002, 1]]));
  clock.events = [];
  clock.restart(60_000);
  assert.deepEqual(clock.emitted("resumed").length, 1, "it would have been sampled");
  assert.ok(nextDueMs(clock.state) > clock.nowMs, "and no timer of that time fires");
  clock.restart(480 * MINUTE_MS);
  assert.equal(clock.emitted("resumed").length, 1, "a slot has gone by");
});
