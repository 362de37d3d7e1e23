/**
 * Goal: across the rings every request is answered once, with its own answer, whatever its length;
 * what finds no space is refused before it is submitted, and nothing that was submitted is called
 * unchanged. Method: both ends in one thread, an engine that answers when the test says so, and
 * turns and wake-ups that the test delivers in random order.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { encodeAnswers } from "../../../test/support/engine-double.ts";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import {
  type Answer,
  decodeAnswers,
  decodeRequest,
  type EnginePort,
  encodeRequest,
  type Submission,
  type Unavailable,
} from "../../protocol/index.ts";
import { createEngineRings, RingPort, RingRequests } from "./engine-ring.ts";

const random = seededRandom("engine-ring");

interface Submitted {
  readonly request: Uint8Array;
  readonly answered: (answer: Uint8Array) => void;
}

const nextMicrotask = () => Promise.resolve();

/** Two ends, and what each has to do next. */
function connect() {
  const turns: (() => void)[] = [];
  const submitted: Submitted[] = [];
  const engine: EnginePort = {
    submit: (request, answered) => void submitted.push({ request, answered }),
  };
  const rings = createEngineRings();
  const soon = (turn: () => void) => void turns.push(turn);
  const port: RingPort = new RingPort(rings, () => turns.push(() => requests.wake()), soon);
  const requests: RingRequests = new RingRequests(
    engine,
    rings,
    () => turns.push(() => port.wake()),
    soon,
  );
  requests.wake();
  port.wake();
  /** Everything that is due, in any order; the microtasks of each turn follow it. */
  const settle = async () => {
    await nextMicrotask();
    while (turns.length > 0) {
      const [turn] = turns.splice(random.integer(0, turns.length - 1), 1);
      turn?.();
      await nextMicrotask();
    }
  };
  return { port, submitted, settle };
}

const CANCEL = { type: "cancel-spot-order", uid: 1, symbol: null, clientOrderId: null } as const;

function cancel(orderId: number): Submission {
  return { kind: "command", command: { ...CANCEL, orderId } };
}

const QUERY: Submission = { kind: "query", query: { type: "status" } };

/** Says which request it answers. */
function answerTo(submissions: readonly Submission[]): readonly Answer[] {
  return submissions.map((submission) => {
    const isQuery = submission.kind === "query";
    const orderId = isQuery ? 0 : (submission.command as { orderId: number }).orderId;
    const value = isQuery
      ? ({ text: "x".repeat(random.integer(0, 200_000)) } as never)
      : { orderId, clientOrderId: `c-${orderId}`, symbol: "BTCUSDT", bookVersion: 1 };
    return { sequence: orderId, timestampMs: 1, result: { ok: true, value } };
  });
}

function answer({ request, answered }: Submitted): void {
  const submissions = decodeRequest(request);
  answered(encodeAnswers(submissions, answerTo(submissions)));
}

function check(submissions: readonly Submission[], answers: readonly (Answer | Unavailable)[]) {
  assert.equal(answers.length, submissions.length);
  for (const [at, submission] of submissions.entries()) {
    const found = answers[at];
    assert.ok(found !== undefined && "result" in found && found.result.ok);
    if (submission.kind === "query") continue;
    const { orderId } = submission.command as { readonly orderId: number };
    assert.equal((found.result.value as { readonly orderId: number }).orderId, orderId);
  }
}

test("every request is answered once with its own answer, short or long", async () => {
  const { port, submitted, settle } = connect();
  let sent = 0;
  let asked = 0;
  let answered = 0;
  for (let round = 0; round < scaled(300); round++) {
    for (let i = random.integer(0, 20); i > 0; i--) {
      const commands = Array.from({ length: random.integer(0, 5) }, () => cancel(++sent));
      const submissions = random.chance(0.2) ? [QUERY] : commands;
      port.submit(encodeRequest(submissions), (bytes) => {
        answered++;
        check(submissions, decodeAnswers(submissions, bytes));
      });
      asked++;
    }
    await settle();
    while (submitted.length > 0 && random.chance(0.9)) answer(submitted.shift() as Submitted);
    await settle();
  }
  while (submitted.length > 0) {
    answer(submitted.shift() as Submitted);
    await settle();
  }
  assert.equal(port.waiting, 0);
  assert.equal(answered, asked);
  console.log(`# ${answered} requests answered`);
});

test("without space a request is refused before it is submitted", async () => {
  const { port, submitted, settle } = connect();
  const outcomes: (Answer | Unavailable)[] = [];
  const submissions = [cancel(1)];
  for (let i = 0; i < 100_000; i++) {
    port.submit(encodeRequest(submissions), (bytes) => {
      outcomes.push(...decodeAnswers(submissions, bytes));
    });
  }
  const refused = outcomes.length;
  assert.ok(refused > 0 && refused < 100_000);
  assert.ok(outcomes.every((outcome) => "unavailable" in outcome));
  assert.deepEqual(outcomes[0], { unavailable: "overloaded" });
  await settle();
  assert.equal(submitted.length, 100_000 - refused);
  for (const one of submitted.splice(0)) answer(one);
  await settle();
  assert.equal(outcomes.length, 100_000);
  assert.equal(port.waiting, 0);
});

test("a request that is longer than the ring is refused", () => {
  const { port } = connect();
  const submissions = [{ kind: "query", query: { type: "status", x: "x".repeat(5e6) } } as never];
  let outcome: readonly (Answer | Unavailable)[] = [];
  port.submit(encodeRequest(submissions), (bytes) => {
    outcome = decodeAnswers(submissions, bytes);
  });
  assert.deepEqual(outcome, [{ unavailable: "overloaded" }]);
});

test("a lost answer to a command is an unknown outcome, to a query only no answer", async () => {
  const { port, submitted, settle } = connect();
  const outcomes = new Map<Submission, Answer | Unavailable>();
  const ask = (submission: Submission) =>
    port.submit(encodeRequest([submission]), (bytes) => {
      outcomes.set(submission, decodeAnswers([submission], bytes)[0] as Answer);
    });
  const commands = Array.from({ length: 3 }, (_, i) => cancel(i));
  const queries = Array.from({ length: 3 }, () => ({ ...QUERY }));
  for (const one of [...commands, ...queries]) ask(one);
  await settle();
  // Long answers are held until the gateway has read those before, up to a bound.
  for (const { answered } of submitted.splice(0)) answered(new Uint8Array(60 * 1024 * 1024));
  const lost = [...outcomes.values()];
  await settle();
  assert.equal(lost.length, 0);
  assert.deepEqual(outcomes.get(commands[2] as Submission), { unavailable: "outcome-unknown" });
  assert.deepEqual(outcomes.get(queries[2] as Submission), { unavailable: "overloaded" });
});
