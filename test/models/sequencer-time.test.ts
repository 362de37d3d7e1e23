/**
 * The commands that the sequencer makes itself, over a journal that answers when the test says so:
 * where timers and the rest of a cascade go among those that were sent, and what time it is.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { RULES_VERSION } from "../../src/engine/index.ts";
import { type Command, decodeCommand, readEvents, submitAll } from "../../src/protocol/index.ts";
import { BTC_CONTRACT } from "../support/listings.ts";
import { eventsOf } from "./live-engine.ts";
import { Bench, REFUSED, registration, STATUS, submission } from "./sequencer-bench.ts";

test("time is the wall clock's plus the journaled offset, and never goes back", async () => {
  const bench = new Bench();
  const at = async (command: Command): Promise<number> => {
    const call = bench.submit(command);
    await nextTurn();
    await bench.settle();
    const [answer] = await call;
    assert.ok(answer !== undefined && "timestampMs" in answer);
    return answer.timestampMs;
  };
  const startMs = bench.live.nowMs;
  assert.equal(await at(registration()), startMs);
  assert.equal(await at({ type: "advance-clock", actor: "", byMs: 5_000 }), startMs);
  assert.equal(await at(registration()), startMs + 5_000);
  bench.live.nowMs = startMs - 60_000;
  assert.equal(await at(registration()), startMs + 5_000);
  bench.live.nowMs = startMs + 1;
  assert.equal(await at(registration()), startMs + 5_001);
});

const HOUR_MS = 3_600_000;

/** A sequencer over an engine with a contract whose funding is due every minute. */
function contractBench(): Bench {
  const bench = new Bench();
  const { live } = bench;
  live.must({ type: "adopt-rules", version: RULES_VERSION });
  for (const [i, asset] of ["BTC", "USDT"].entries()) {
    live.must({ type: "set-asset", actor: "", asset, coinId: i + 1, name: asset, scale: 8 });
  }
  live.must({ ...LISTING, type: "set-contract-market", actor: "" });
  return bench;
}

const LISTING = {
  ...BTC_CONTRACT,
  ...{ makerFeeRate: "0", takerFeeRate: "0", liquidateFeeRate: "0", interestRate: "0" },
  ...{ fundingInnerClamp: "0", fundingRateCap: "0", fundingBufferRate: "0" },
  impactNotional: "1",
  fundingIntervalMinutes: 1,
};

/** Types of the commands in each batch of the journal. */
function journaled({ journal }: Bench): string[][] {
  return journal.appended.map(({ records }) => [...records].map((one) => decodeCommand(one).type));
}

async function settleAll(bench: Bench): Promise<void> {
  for (let turn = 0; turn < 6; turn++) {
    await nextTurn();
    while (bench.journal.pending.length > 0) await bench.settle();
  }
}

const NO_TIMER = { arm: () => undefined };

test("what is due goes ahead of the first command, and of a question, at its time", async () => {
  const bench = contractBench();
  bench.live.nowMs += 60_000;
  void bench.submit(registration());
  await settleAll(bench);
  assert.deepEqual(journaled(bench), [["register-user"]], "nothing is due before timers run");
  bench.sequencer.startTimers(NO_TIMER);
  void bench.submit(REFUSED);
  await settleAll(bench);
  assert.deepEqual(journaled(bench).slice(1), [["advance-time"]]);
  void bench.submit(registration(), registration());
  await settleAll(bench);
  assert.deepEqual(journaled(bench).slice(2), [["register-user", "register-user"]]);
  bench.live.nowMs += 60_000;
  const answers = submitAll(bench.sequencer, [STATUS]);
  await settleAll(bench);
  assert.deepEqual(journaled(bench).slice(3), [["advance-time"]]);
  const [answer] = await answers;
  assert.ok(answer !== undefined && "sequence" in answer);
  assert.equal(answer.sequence, 5, "the question sees what was due");
});

test("a wake-up makes a batch of what is due, and none of what is not", async () => {
  const bench = contractBench();
  const delays: number[] = [];
  bench.sequencer.startTimers({ arm: (delayMs) => delays.push(delayMs) });
  bench.sequencer.wake();
  await settleAll(bench);
  assert.deepEqual(journaled(bench), []);
  bench.live.nowMs += 59_999;
  bench.sequencer.wake();
  await settleAll(bench);
  bench.live.nowMs += 1;
  bench.sequencer.wake();
  await settleAll(bench);
  assert.deepEqual(journaled(bench), [["advance-time"]]);
  assert.deepEqual(delays, [60_000, 60_000, 1, 60_000], "armed anew after every batch");
  assert.equal(bench.published.length, 1);
  await bench.sequencer.stop();
  bench.live.nowMs += 60_000;
  bench.sequencer.wake();
  await settleAll(bench);
  assert.equal(bench.journal.appended.length, 1, "nothing is due once it stops");
});

test("a wake-up just before the stop changes nothing behind it", async () => {
  const bench = contractBench();
  bench.sequencer.startTimers(NO_TIMER);
  bench.live.nowMs += 60_000;
  bench.sequencer.wake();
  await bench.sequencer.stop();
  const stateHash = bench.live.engine.stateHash();
  await settleAll(bench);
  assert.equal(bench.live.engine.stateHash(), stateHash, "the last snapshot is of this state");
  assert.deepEqual(journaled(bench), []);
});

test("commissions are due at the full hour, without any contract", async () => {
  const bench = new Bench();
  const { live } = bench;
  live.listMarket();
  const [uid, other] = [live.fundedUser(), live.fundedUser("1", "invite-1")];
  const rates = { spotRate: "0.5", futuresRate: "0", parentUid: null };
  live.must({ type: "set-affiliate", actor: "", uid, ...rates });
  live.must(live.order(uid, "SELL", "1", "1"));
  live.must(live.order(other, "BUY", "1", "1"));
  const delays: number[] = [];
  bench.sequencer.startTimers({ arm: (delayMs) => delays.push(delayMs) });
  live.nowMs += HOUR_MS;
  bench.sequencer.wake();
  await settleAll(bench);
  assert.deepEqual([...journaled(bench), delays], [["advance-time"], [HOUR_MS, Infinity]]);
});

test("a countdown that a halt held goes ahead of whoever comes behind its end", async () => {
  const bench = new Bench();
  const { live } = bench;
  live.listMarket();
  const [uid, other] = [live.fundedUser(), live.fundedUser()];
  bench.sequencer.startTimers(NO_TIMER);
  const market = { type: "set-spot-market-state", actor: "operator", symbol: "ACOQUO" } as const;
  const terms = { product: "spot", symbol: null, countdownMs: 1_000 } as const;
  void bench.submit(live.order(uid, "SELL", "10", "1"));
  void bench.submit({ type: "set-dead-man-switch", uid, ...terms });
  void bench.submit({ ...market, state: "halted" });
  await settleAll(bench);
  live.nowMs += 1_000;
  bench.sequencer.wake();
  await settleAll(bench);
  const before = journaled(bench).length;
  const taken = bench.submit({ ...market, state: "trading" }, live.order(other, "BUY", "10", "1"));
  await settleAll(bench);
  await taken;
  assert.deepEqual(journaled(bench).slice(before), [
    ["set-spot-market-state", "advance-time", "place-spot-order"],
  ]);
  const events = bench.published.flatMap(({ chunk }) => [...readEvents(chunk)]);
  assert.deepEqual(eventsOf(events, "spot-trade"), [], "nobody trades with it");
  assert.equal(eventsOf(events, "spot-order-ended").length, 1);
});

test("a clock that is put ahead cuts the batch: what was behind it meets the timers", async () => {
  const bench = contractBench();
  bench.sequencer.startTimers(NO_TIMER);
  const startMs = bench.live.nowMs;
  const jump: Command = { type: "advance-clock", actor: "", byMs: 20 * HOUR_MS };
  const commands = [registration(), jump, registration()].map(submission);
  const first = submitAll(bench.sequencer, [...commands, STATUS]);
  const second = submitAll(bench.sequencer, [STATUS, submission(registration())]);
  await settleAll(bench);
  assert.deepEqual(journaled(bench), [
    ["register-user", "advance-clock"],
    // 1,200 slots: a thousand steps of one command, and the rest directly behind it.
    ["advance-time", "continue-risk", "register-user", "register-user"],
  ]);
  const times = [...(await first), ...(await second)].map((answer) =>
    "timestampMs" in answer ? answer.timestampMs - startMs : -1,
  );
  const late = 20 * HOUR_MS;
  assert.deepEqual(times, [0, 0, late, late, late, late]);
  const sequences = [...(await first), ...(await second)].map((answer) =>
    "sequence" in answer ? answer.sequence : -1,
  );
  assert.deepEqual(sequences, [1, 2, 5, 5, 5, 6]);
  assert.equal(bench.sequencer.queueDepth, 0);
  assert.ok(bench.live.engine.nextDueMs > startMs + late);
});

test("a disk that is nearly full does not stop time", async () => {
  const bench = contractBench();
  bench.journal.nearlyFull = true;
  bench.isPublishFull = true;
  bench.live.nowMs += 60_000;
  const resumed = bench.submit({ type: "resume" });
  await settleAll(bench);
  assert.ok((await resumed).every((answer) => !("unavailable" in answer)));
  bench.sequencer.startTimers(NO_TIMER);
  bench.live.nowMs += 60_000;
  bench.sequencer.wake();
  await settleAll(bench);
  assert.deepEqual(journaled(bench), [["resume"], ["advance-time"]]);
});
