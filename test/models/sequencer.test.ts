/**
 * The sequencer against a journal that answers when the test says so, late and out of turn: nothing
 * that saw a command leaves before the command is durable, answers keep their order, and a journal
 * that fails ends everything at once. Back-pressure, the nearly full disk and the orderly stop are
 * here too, and the commands that the sequencer makes itself: where timers and the rest of a
 * cascade go among those that were sent.
 */

import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { INITIAL_EVENT_DIGEST } from "../../src/app/event-digest.ts";
import { type EventChunk, Sequencer } from "../../src/app/sequencer.ts";
import { RULES_VERSION } from "../../src/engine/index.ts";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import {
  type Answer,
  type AppendResult,
  type Batch,
  type Command,
  decodeCommand,
  type Journal,
  type JournaledBatch,
  readEvents,
  type Submission,
  submitAll,
  type Unavailable,
} from "../../src/protocol/index.ts";
import { BTC_CONTRACT } from "../support/listings.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { eventsOf, LiveEngine } from "./live-engine.ts";

const random = seededRandom("sequencer");
const QUEUE_MAX = 20_000;

interface Pending {
  readonly batch: Batch;
  readonly settle: (result: AppendResult) => void;
}

/** Appends are answered by the test alone. */
class JournalDouble implements Journal {
  readonly epoch = 1;
  readonly pending: Pending[] = [];
  readonly appended: Batch[] = [];
  nearlyFull = false;
  lastSequence = 0;

  append(expectedSequence: number, epoch: number, batch: Batch): Promise<AppendResult> {
    assert.equal(epoch, this.epoch);
    assert.equal(batch.firstSequence, expectedSequence + 1);
    const previous = this.appended.at(-1);
    assert.equal(expectedSequence, previous === undefined ? 0 : lastOf(previous));
    this.appended.push(batch);
    return new Promise((resolve) => this.pending.push({ batch, settle: resolve }));
  }

  async *read(): AsyncGenerator<JournaledBatch> {}
  async *tail(): AsyncGenerator<JournaledBatch> {}
  async close(): Promise<void> {}
}

function lastOf({ firstSequence, records }: Batch): number {
  return firstSequence + records.length - 1;
}

/** Fewer submissions wait for the batch before them. */
const SECOND_BATCH_MIN = 64;

class Bench {
  readonly live = new LiveEngine();
  readonly journal = new JournalDouble();
  readonly published: EventChunk[] = [];
  readonly fatal: Error[] = [];
  readonly sequencer: Sequencer;
  isPublishFull = false;
  readonly #durable = new Set<Batch>();

  constructor() {
    this.sequencer = new Sequencer({
      platform: NODE_PLATFORM,
      engine: this.live.engine,
      journal: this.journal,
      eventDigest: INITIAL_EVENT_DIGEST,
      wall: { nowMs: () => this.live.nowMs, behindMs: 0 },
      publish: (chunk) => this.published.push(chunk),
      isPublishFull: () => this.isPublishFull,
      onFatal: (error) => this.fatal.push(error),
      metrics: { batchReleased: () => {} },
    });
  }

  /** The last sequence up to which every append was answered `durable`. */
  get durable(): number {
    let sequence = 0;
    for (const batch of this.journal.appended) {
      if (!this.#durable.has(batch)) break;
      sequence = lastOf(batch);
    }
    return sequence;
  }

  submit(...commands: readonly Command[]): Promise<readonly (Answer | Unavailable)[]> {
    return submitAll(this.sequencer, commands.map(submission));
  }

  /** So many registrations in each turn. */
  async submitInTurns(...counts: readonly number[]): Promise<void> {
    for (const count of counts) {
      void this.submit(...Array.from({ length: count }, registration));
      await nextTurn();
    }
  }

  /** Answers one pending append, the oldest unless another is named. */
  async settle(result: AppendResult = "durable", index = 0): Promise<void> {
    const [pending] = this.journal.pending.splice(index, 1);
    assert.ok(pending !== undefined, "an append is pending");
    if (result === "durable") this.#durable.add(pending.batch);
    pending.settle(result);
    await nextTurn();
  }
}

function submission(command: Command): Submission {
  return { kind: "command", command };
}

const STATUS: Submission = { kind: "query", query: { type: "status" } };
let users = 0;

/** A command that changes the state; `users` of the status counts them. */
function registration(): Command {
  const inviteCode = `invite-${++users}`;
  return { type: "register-user", actor: "", uid: null, inviteCode, invitedWith: null, kyc: false };
}

const REFUSED: Command = { type: "cancel-all-spot-orders", uid: 1, symbol: "NONE" };

test("late and out of turn: answers keep their order and wait for what they saw", async () => {
  for (let round = 0; round < scaled(60); round++) {
    const bench = new Bench();
    const answered: number[] = [];
    let registered = 0;
    const calls: Promise<void>[] = [];
    for (let call = 0; call < 40; call++) {
      const submissions = Array.from({ length: random.integer(1, 3) }, () =>
        random.pick([STATUS, submission(REFUSED), submission(registration())]),
      );
      const expected = submissions.map((one) => {
        if (one.kind === "command" && one.command.type === "register-user") registered++;
        return registered;
      });
      calls.push(
        submitAll(bench.sequencer, submissions).then((answers) => {
          assert.equal(answers.length, submissions.length);
          for (const [i, answer] of answers.entries()) {
            assert.ok(!("unavailable" in answer));
            assert.equal(answer.sequence, expected[i], "it saw all before it and nothing after");
            assert.ok(answer.sequence <= bench.durable, "nothing leaves before it is durable");
            const { result } = answer;
            if (result.ok && result.value !== null && "users" in result.value) {
              assert.equal(result.value.users, expected[i]);
            }
          }
          answered.push(call);
        }),
      );
      if (random.chance(0.5)) await nextTurn();
      const { pending } = bench.journal;
      if (pending.length > 0 && random.chance(0.4)) {
        await bench.settle("durable", random.integer(0, pending.length - 1));
      }
    }
    while (answered.length < calls.length) {
      await nextTurn();
      const { pending } = bench.journal;
      if (pending.length > 0) await bench.settle("durable", random.integer(0, pending.length - 1));
    }
    await Promise.all(calls);
    assert.deepEqual(answered, [...calls.keys()]);
    assert.equal(bench.published.at(-1)?.lastSequence ?? 0, registered);
    assert.equal(bench.sequencer.durableSequence, registered);
  }
});

test("many submissions do not wait for the batch before, and at most two are ahead", async () => {
  const bench = new Bench();
  await bench.submitInTurns(1, SECOND_BATCH_MIN - 1);
  assert.equal(bench.journal.pending.length, 1, "few wait");
  assert.equal(bench.sequencer.queueDepth, SECOND_BATCH_MIN - 1);
  await bench.submitInTurns(1, 1, SECOND_BATCH_MIN);
  assert.equal(bench.journal.pending.length, 2, "many do not, nor more than two batches");
  assert.equal(bench.journal.pending[1]?.batch.records.length, SECOND_BATCH_MIN);
  assert.equal(bench.sequencer.queueDepth, SECOND_BATCH_MIN + 1);
  await bench.settle("durable", 1);
  assert.deepEqual(bench.published, []);
  await bench.settle();
  await nextTurn();
  assert.equal(bench.journal.pending[0]?.batch.records.length, SECOND_BATCH_MIN + 1);
});

test("an unknown or fenced append ends it: told once, nothing answered afterwards", async () => {
  for (const [index, outcome] of (["unknown", "fenced"] as const).entries()) {
    const bench = new Bench();
    let answered = 0;
    const count = () => answered++;
    void bench.submit(registration()).then(count);
    await nextTurn();
    const many = Array.from({ length: SECOND_BATCH_MIN }, registration);
    void bench.submit(...many).then(count);
    await nextTurn();
    void submitAll(bench.sequencer, [STATUS]).then(count);
    await bench.settle(outcome, index);
    await bench.settle(index === 0 ? "unknown" : "durable");
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    assert.equal(answered, 0);
    assert.equal(bench.published.length, 0);
    assert.equal(bench.fatal.length, 1);
    assert.match(bench.fatal[0]?.message ?? "", new RegExp(outcome));
    assert.deepEqual(await bench.submit(registration()), [{ unavailable: "stopping" }]);
  }
});

test("a broken invariant ends it before the journal sees any of its batch", async () => {
  const bench = new Bench();
  let answered = 0;
  bench.live.listMarket();
  const uid = bench.live.fundedUser();
  const order = bench.live.order(uid, "BUY", "1", "1", { clientOrderId: "" });
  void bench.submit(registration(), order).then(() => answered++);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  assert.equal(bench.fatal.length, 1);
  assert.deepEqual([bench.journal.appended.length, answered], [0, 0]);
});

test("a receiver of events that fails ends it as well, before the answer", async () => {
  const bench = new Bench();
  bench.published.push = () => {
    throw new Error("no room for events");
  };
  let answered = 0;
  void bench.submit(registration()).then(() => answered++);
  await nextTurn();
  await bench.settle();
  await nextTurn();
  assert.deepEqual(
    [bench.fatal.map(({ message }) => message), answered],
    [["no room for events"], 0],
  );
});

test("a full queue is told so at once; what was taken is answered", async () => {
  const bench = new Bench();
  const taken: Promise<readonly (Answer | Unavailable)[]>[] = [];
  const ask = (count: number) =>
    submitAll(
      bench.sequencer,
      Array.from({ length: count }, () => STATUS),
    );
  for (let i = 0; i < QUEUE_MAX / 1_000; i++) taken.push(ask(1_000));
  assert.equal(bench.sequencer.queueDepth, QUEUE_MAX);
  assert.deepEqual(await ask(1), [{ unavailable: "overloaded" }]);
  const answers = (await Promise.all(taken)).flat();
  assert.equal(answers.length, QUEUE_MAX);
  assert.ok(answers.every((answer) => !("unavailable" in answer)));
  assert.deepEqual(await submitAll(bench.sequencer, []), []);
});

test("a nearly full disk and full receivers let only cancels and questions pass", async () => {
  const one = { uid: 1, orderId: 1, clientOrderId: null };
  const cancels: readonly Command[] = [
    { type: "cancel-spot-order", symbol: null, ...one },
    { type: "cancel-contract-order", ...one },
    { type: "cancel-all-contract-orders", uid: 1, symbol: null },
    { type: "cancel-algo-order", uid: 1, algoId: 1 },
    { type: "cancel-all-algo-orders", uid: 1, symbol: null },
    REFUSED,
  ];
  for (const unavailable of ["disk-nearly-full", "overloaded"] as const) {
    const bench = new Bench();
    bench.journal.nearlyFull = unavailable === "disk-nearly-full";
    bench.isPublishFull = unavailable === "overloaded";
    const all = [...[registration(), ...cancels].map(submission), STATUS];
    const [first, ...passed] = await submitAll(bench.sequencer, all);
    assert.deepEqual(first, { unavailable });
    assert.ok(passed.every((answer) => !("unavailable" in answer)));
    assert.equal(bench.journal.appended.length, 0);
  }
});

test("stop answers what was taken, refuses the rest, ends when all is durable", async () => {
  const bench = new Bench();
  const before = Array.from({ length: 30 }, () => bench.submit(registration()));
  await nextTurn();
  const late = bench.submit(registration());
  let stopped = false;
  const stop = bench.sequencer.stop().then(() => {
    stopped = true;
  });
  assert.deepEqual(await bench.submit(registration()), [{ unavailable: "stopping" }]);
  await bench.settle();
  await nextTurn();
  assert.equal(stopped, false);
  await bench.settle();
  await stop;
  const answers = (await Promise.all([...before, late])).flat();
  assert.deepEqual(
    answers.map((answer) => ("sequence" in answer ? answer.sequence : -1)),
    Array.from({ length: 31 }, (_, i) => i + 1),
  );
  await bench.sequencer.stop();
});

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
