/**
 * Proves that messages which are held back leave in their order and when they are due, that what is
 * held counts as unread, and that a connection that ends holds nothing more. Time is the test's.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { Scheduler } from "../../platform/index.ts";
import { DelayedOutbox } from "./delayed-outbox.ts";
import { FanOut } from "./fan-out.ts";

class TestTime implements Scheduler {
  nowMs = 0;
  #tasks: { readonly dueMs: number; readonly run: () => void }[] = [];

  after(delayMs: number, run: () => void) {
    const task = { dueMs: this.nowMs + delayMs, run };
    this.#tasks.push(task);
    const cancel = (): void => {
      this.#tasks = this.#tasks.filter((other) => other !== task);
    };
    return { cancel };
  }

  soon(run: () => void) {
    return this.after(0, run);
  }

  every() {
    return { cancel: () => undefined };
  }

  pass(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (;;) {
      const next = this.#tasks
        .filter(({ dueMs }) => dueMs <= untilMs)
        .sort((one, other) => one.dueMs - other.dueMs)[0];
      if (next === undefined) break;
      this.#tasks = this.#tasks.filter((task) => task !== next);
      this.nowMs = Math.max(this.nowMs, next.dueMs);
      next.run();
    }
    this.nowMs = untilMs;
  }
}

function setUp() {
  const time = new TestTime();
  const clock = { monotonicMs: () => time.nowMs, busyMs: () => 0 };
  let written = "";
  const socket = {
    writableLength: 0,
    write: (frames: Buffer) => {
      written += frames.toString("latin1").replaceAll(/[^a-z]/g, "");
    },
  };
  const options = { socket, compresses: false, isOpen: () => true };
  const outbox = new DelayedOutbox(new FanOut(clock, time), options, clock, time);
  const post = (text: string): void => outbox.post(Buffer.from(text), "prompt");
  return { time, outbox, post, written: () => written };
}

test("what is behind a delayed message waits for it", () => {
  const { time, outbox, post, written } = setUp();
  post("a");
  time.pass(1);
  assert.equal(written(), "a");
  outbox.delay(100);
  post("b");
  time.pass(50);
  post("c");
  outbox.delay(100);
  post("d");
  assert.equal(outbox.waitingBytes, 3);
  time.pass(49);
  assert.equal(written(), "a");
  time.pass(2);
  assert.equal(written(), "abc");
  assert.equal(outbox.waitingBytes, 1);
  time.pass(60);
  assert.equal(written(), "abcd");
  post("e");
  time.pass(0);
  assert.equal(written(), "abcde");
});

test("a frozen client hears nothing, then everything", () => {
  const { time, outbox, post, written } = setUp();
  outbox.freeze(1_000);
  for (const text of ["a", "b", "c"]) post(text);
  assert.ok(outbox.isFrozen);
  time.pass(999);
  assert.equal(written(), "");
  time.pass(2);
  assert.equal(written(), "abc");
  assert.equal(outbox.isFrozen, false);
});

test("what a connection held is forgotten with it", () => {
  const { time, outbox, post, written } = setUp();
  outbox.freeze(1_000);
  post("a");
  outbox.drop();
  outbox.forget();
  assert.equal(outbox.waitingBytes, 0);
  time.pass(2_000);
  assert.equal(written(), "");
});
