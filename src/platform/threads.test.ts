/**
 * Goal: a body cannot tell a thread of its own from an inline one. Method: the same conversation
 * with both: messages in order and taken early, memory that moves, pauses, failures, the end by
 * the body and from outside.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { type Talk, talk } from "../../test/support/talking-thread.ts";
import {
  inlineThreads,
  NODE_PLATFORM,
  type Thread,
  type ThreadBody,
  type Threads,
} from "./index.ts";

const MODULE = new URL("../../test/support/talking-worker.ts", import.meta.url);
const NAME = "talking";

/** A thread, and all that it told. */
class Talking {
  readonly thread: Thread;
  readonly told: unknown[] = [];
  readonly exit: Promise<number>;
  /** Resolves at the first pause that has ended. */
  readonly paused: Promise<void>;

  constructor(threads: Threads) {
    this.thread = threads.start({ module: MODULE, name: NAME, data: { of: "data" } });
    const paused = Promise.withResolvers<void>();
    this.paused = paused.promise;
    this.thread.onMessage((message) => {
      this.told.push(message);
      if ("paused" in (message as object)) paused.resolve();
    });
    this.thread.onError((error) => this.told.push({ error: error.message }));
    this.exit = new Promise((resolve) => this.thread.onExit(resolve));
  }

  say(message: Talk): void {
    const bytes = "bytes" in message ? [message.bytes.buffer as ArrayBuffer] : [];
    this.thread.post(message, bytes);
  }
}

const BEGAN = { began: { of: "data" } };

for (const [kind, threads] of [
  ["its own", NODE_PLATFORM.threads],
  ["inline", inlineThreads({ [NAME]: talk }, () => NODE_PLATFORM)],
] as const) {
  test(`${kind}: messages come in order, and memory moves with them`, async () => {
    const talking = new Talking(threads);
    const bytes = Uint8Array.of(1, 2, 3);
    talking.say({ kind: "echo-both", bytes });
    assert.equal(bytes.length, 0, "the sender has it no more");
    talking.say({ kind: "close" });
    talking.say({ kind: "close" });
    assert.equal(await talking.exit, 0);
    // The first close was taken by the echo, the second one ended the thread.
    const echo = { echo: Uint8Array.of(1, 2, 3), next: { kind: "close" } };
    assert.deepEqual(talking.told, [BEGAN, echo, { closed: true }]);
  });

  test(`${kind}: a pause ends, and what arrives meanwhile is not lost`, async () => {
    const talking = new Talking(threads);
    talking.say({ kind: "pause", delayMs: 5 });
    talking.say({ kind: "echo", bytes: Uint8Array.of(4) });
    await talking.paused;
    talking.say({ kind: "close" });
    assert.equal(await talking.exit, 0);
    // In which order depends on whether anything else can run during a pause.
    const told = new Set(talking.told.map((message) => JSON.stringify(message)));
    for (const message of [BEGAN, { paused: 5 }, { closed: true }]) {
      assert.ok(told.has(JSON.stringify(message)), JSON.stringify(message));
    }
    assert.ok(told.has(JSON.stringify({ echo: Uint8Array.of(4) })));
    assert.equal(told.size, 4);
  });

  test(`${kind}: a failure is told, then the thread has ended`, async () => {
    const talking = new Talking(threads);
    talking.say({ kind: "throw", message: "it broke" });
    talking.say({ kind: "close" });
    assert.equal(await talking.exit, 1);
    // A failure does not travel with the messages: it may overtake them.
    const told = new Set(talking.told.map((message) => JSON.stringify(message)));
    assert.deepEqual(told, new Set([BEGAN, { error: "it broke" }].map((m) => JSON.stringify(m))));
    assert.equal(talking.told.length, 2);
  });

  test(`${kind}: it can be ended from outside`, async () => {
    const talking = new Talking(threads);
    await talking.thread.terminate();
    await talking.exit;
    talking.say({ kind: "close" });
    assert.deepEqual(
      talking.told.filter((message) => "closed" in (message as object)),
      [],
    );
  });
}

test("an inline body learns that it was terminated, and the exit waits for its end", async () => {
  const steps: string[] = [];
  const began = Promise.withResolvers<void>();
  const body: ThreadBody = async ({ pause, terminated }) => {
    began.resolve();
    while (!terminated.aborted) await pause(1);
    steps.push("end of the body");
  };
  const threads = inlineThreads({ [NAME]: body }, () => NODE_PLATFORM);
  const thread = threads.start({ module: MODULE, name: NAME, data: null });
  thread.onExit((code) => steps.push(`exit ${code}`));
  await began.promise;
  await thread.terminate();
  assert.deepEqual(steps, ["end of the body", "exit 1"]);
});

test("an inline thread without a body does not start", () => {
  const threads = inlineThreads({}, () => NODE_PLATFORM);
  assert.throws(() => threads.start({ module: MODULE, name: "unknown", data: null }), /unknown/);
});
