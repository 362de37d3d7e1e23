/**
 * The sequencer against a journal that answers when the test says so, late and out of turn: nothing
 * that saw a command leaves before the command is durable, answers keep their order, and a journal
 * that fails ends everything at once. Back-pressure, the nearly full disk and the orderly stop are
 * here too.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { extendEventDigest } from "../../src/app/event-digest.ts";
import {
  type Answer,
  type Command,
  submitAll,
  type Unavailable,
} from "../../src/protocol/index.ts";
import { scaled, seededRandom } from "../support/random.ts";
import {
  Bench,
  REFUSED,
  registration,
  SECOND_BATCH_MIN,
  STATUS,
  submission,
} from "./sequencer-bench.ts";

const random = seededRandom("sequencer");
const QUEUE_MAX = 20_000;

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

test("behind another state it counts on from that, as does the digest of events", async () => {
  const bench = new Bench();
  for (let batch = 1; batch <= 2; batch++) {
    await bench.submitInTurns(1);
    await bench.settle();
  }
  await bench.sequencer.pause();
  // The journal is another one, which is empty.
  bench.journal.appended.length = 0;
  const state = { sequence: 0, eventDigest: new Uint8Array(32).fill(7) };
  bench.sequencer.continueFrom(state);
  assert.equal(bench.sequencer.durableSequence, 0);
  bench.sequencer.resume();
  await bench.submitInTurns(1);
  await bench.settle();
  const behind = bench.published.at(-1);
  assert.equal(behind?.lastSequence, 1);
  const digest = extendEventDigest(state.eventDigest, behind.chunk);
  assert.deepEqual(bench.sequencer.eventDigest, digest);
});
