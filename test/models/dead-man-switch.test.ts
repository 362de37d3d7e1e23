/**
 * Proves the dead-man switch by examples on the engine: it fires exactly on time, at the start if
 * the exchange was down then, for any number of orders and as soon as their market allows cancels.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { CommandOf, Event } from "../../src/protocol/index.ts";
import { BTC_SPOT } from "../support/listings.ts";
import { eventsOf, LiveEngine } from "./live-engine.ts";

type SetSwitch = CommandOf<"set-dead-man-switch">;

const ORDERS = 2_500;
const STEPS_PER_COMMAND = 1_000;

function countdown(uid: number, countdownMs: number, symbol: string | null = null): SetSwitch {
  return { type: "set-dead-man-switch", uid, product: "spot", symbol, countdownMs };
}

function openExchange() {
  const live = new LiveEngine();
  live.listMarket();
  live.must({
    ...{ type: "set-spot-market", actor: "operator" },
    ...BTC_SPOT,
    ...{ symbol: "QUOACO", baseAsset: "QUO", quoteAsset: "ACO", tickSize: "0.01" },
  });
  const uid = live.fundedUser();
  return { live, uid };
}

/** What time brings until a moment, slice by slice. */
function passTime(live: LiveEngine, toMs: number): Event[][] {
  live.nowMs = toMs;
  const slices: Event[][] = [];
  if (live.engine.nextDueMs > toMs) return slices;
  slices.push([...live.must({ type: "advance-time", toMs }).events]);
  while (live.engine.hasUnfinishedRisk) {
    live.restart();
    slices.push([...live.must({ type: "continue-risk" }).events]);
  }
  return slices;
}

const endsOf = (events: readonly Event[]) => eventsOf(events, "spot-order-ended");

test("a countdown ends at its very millisecond, each one at its own", () => {
  const { live, uid } = openExchange();
  const other = live.fundedUser();
  for (const who of [uid, other]) live.must(live.order(who, "BUY", "10", "1"));
  const startMs = live.nowMs;
  live.must(countdown(uid, 1_500));
  live.must(countdown(other, 1_000));
  assert.equal(live.engine.nextDueMs, startMs + 1_000);
  assert.deepEqual(passTime(live, startMs + 999), []);
  const [events = []] = passTime(live, startMs + 5_000);
  const emitted = events.flatMap((event) => {
    if (event.type === "timer-fired") return [event.timestampMs - startMs];
    return event.type === "spot-order-ended" ? [event.uid, event.reason] : [];
  });
  assert.deepEqual(emitted, [1_000, other, "dead-man-switch", 1_500, uid, "dead-man-switch"]);
  assert.equal(live.engine.nextDueMs, Number.POSITIVE_INFINITY);
});

test("every call counts down anew, 0 switches off, markets have countdowns of their own", () => {
  const { live, uid } = openExchange();
  live.must(live.order(uid, "BUY", "10", "1"));
  live.must(live.order(uid, "BUY", "10", "1", { symbol: "QUOACO" }));
  const startMs = live.nowMs;
  const { value } = live.must(countdown(uid, 2_000));
  assert.equal(value.firesAtMs, startMs + 2_000);
  live.must(countdown(uid, 60_000, "QUOACO"));
  live.nowMs += 1_900;
  live.must(countdown(uid, 2_000));
  assert.deepEqual(passTime(live, startMs + 3_899), []);
  assert.equal(live.must(countdown(uid, 0)).value.firesAtMs, 0);
  assert.deepEqual(live.must(countdown(uid, 0)).events, [], "it is off");
  live.restart();
  const [events = []] = passTime(live, startMs + 60_000);
  assert.deepEqual(
    endsOf(events).map(({ symbol }) => symbol),
    ["QUOACO"],
  );
});

test("thousands of orders are cancelled in slices, at one time, over restarts", () => {
  const { live, uid } = openExchange();
  for (let i = 0; i < ORDERS; i++) live.must(live.order(uid, "BUY", "10", "1"));
  live.must(countdown(uid, 1_234));
  const firesAtMs = live.nowMs + 1_234;
  const slices = passTime(live, live.nowMs + 10_000);
  assert.equal(slices.length, Math.ceil(ORDERS / STEPS_PER_COMMAND));
  assert.equal(endsOf(slices.flat()).length, ORDERS);
  for (const slice of slices) {
    assert.ok(endsOf(slice).length <= STEPS_PER_COMMAND);
    const times = eventsOf(slice, "timer-fired").map(({ timestampMs }) => timestampMs);
    assert.deepEqual(times, [firesAtMs]);
  }
  assert.equal(eventsOf(slices.flat(), "dead-man-switch-fired").length, 1);
  const open = live.engine.query({ type: "spot-open-orders", uid, symbol: null }, live.nowMs);
  assert.deepEqual(open, { ok: true, value: [] });
});

test("one that ended while the exchange was down ends when it starts, the others go on", () => {
  const { live, uid } = openExchange();
  const other = live.fundedUser();
  for (const who of [uid, other]) live.must(live.order(who, "BUY", "10", "1"));
  live.must(countdown(uid, 5_000));
  live.must(countdown(other, 60_000));
  const startMs = live.nowMs;
  live.nowMs = startMs + 30_000;
  live.restart();
  const { events } = live.must({ type: "resume" });
  assert.equal(eventsOf(events, "resumed").length, 1);
  const [ended = []] = passTime(live, live.nowMs);
  assert.deepEqual(
    endsOf(ended).map((event) => event.uid),
    [uid],
  );
  assert.equal(eventsOf(ended, "timer-fired")[0]?.timestampMs, startMs + 30_000);
  assert.equal(live.engine.nextDueMs, startMs + 60_000);
  live.restart();
  assert.deepEqual(live.must({ type: "resume" }).events, [], "a restart in time leaves no trace");
});

test("a halted market keeps its orders until it goes on", () => {
  const { live, uid } = openExchange();
  live.must(live.order(uid, "BUY", "10", "1"));
  live.must(live.order(uid, "BUY", "10", "1", { symbol: "QUOACO" }));
  live.must(countdown(uid, 1_000));
  const body = { actor: "operator", symbol: "ACOQUO" } as const;
  live.must({ type: "set-spot-market-state", ...body, state: "halted" });
  const [events = []] = passTime(live, live.nowMs + 1_000);
  assert.deepEqual(
    endsOf(events).map(({ symbol }) => symbol),
    ["QUOACO"],
  );
  const held = { symbol: null, countdownMs: 1_000, firesAtMs: live.nowMs, isHeld: true };
  const query = { type: "dead-man-switches", uid, product: "spot" } as const;
  assert.deepEqual(live.engine.query(query, live.nowMs), { ok: true, value: [held] });
  assert.equal(live.engine.nextDueMs, Number.POSITIVE_INFINITY);
  live.restart();
  live.nowMs += 7_000;
  live.must({ type: "set-spot-market-state", ...body, state: "cancel-only" });
  const [rest = []] = passTime(live, live.nowMs);
  assert.deepEqual(
    endsOf(rest).map(({ symbol }) => symbol),
    ["ACOQUO"],
  );
  assert.deepEqual(live.engine.query(query, live.nowMs), { ok: true, value: [] });
});
