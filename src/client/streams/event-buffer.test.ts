/**
 * Proves that a buffer returns events in order, waits for new ones, never exceeds its bound,
 * handles an overflow as documented, and ends every reading.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { StreamError } from "../errors.ts";
import { EventBuffer, type Keep } from "./event-buffer.ts";

function open(keep: Keep) {
  let returned = 0;
  const buffer = new EventBuffer<number>(keep, () => {
    returned++;
  });
  return { buffer, returned: () => returned };
}

async function drain(buffer: EventBuffer<number>): Promise<number[]> {
  const events: number[] = [];
  for await (const event of buffer) events.push(event);
  return events;
}

test("events come in order, before and after they are asked for", async () => {
  const { buffer } = open("all");
  buffer.push(1);
  const first = drain(buffer);
  for (let i = 2; i <= 5_000; i++) {
    buffer.push(i);
    if (i % 500 === 0) await Promise.resolve();
  }
  buffer.end(null);
  buffer.push(0);
  const events = await first;
  assert.deepEqual(
    events,
    Array.from({ length: 5_000 }, (_, i) => i + 1),
  );
});

test("the newest are kept where the present state is what counts", async () => {
  for (const [keep, most] of [
    ["newest", 1],
    ["latest", 1_000],
  ] as const) {
    const { buffer } = open(keep);
    for (let i = 1; i <= 3_500; i++) buffer.push(i);
    buffer.end(null);
    const events = await drain(buffer);
    assert.equal(events.length, most);
    assert.equal(events.at(-1), 3_500);
    assert.equal(events[0], 3_500 - most + 1);
  }
});

test("a reader that falls behind where nothing may be lost is told so", async () => {
  const { buffer, returned } = open("all");
  for (let i = 1; i <= 20_000; i++) buffer.push(i);
  assert.equal(returned(), 1);
  let read = 0;
  await assert.rejects(async () => {
    for await (const event of buffer) {
      read++;
      assert.equal(event, read);
    }
  }, StreamError);
  assert.equal(read, 10_000);
  assert.deepEqual(await buffer.next(), { done: true, value: undefined });
});

test("an end reaches who waits, with its error", async () => {
  const failing = open("all").buffer;
  const [one, other] = [failing.next(), failing.next()];
  failing.end(new StreamError("gone"));
  await assert.rejects(one, /gone/);
  await assert.rejects(other, /gone/);
  const closing = open("latest").buffer;
  const waiting = closing.next();
  closing.end(null);
  assert.deepEqual(await waiting, { done: true, value: undefined });
});

test("a loop that is left gives its events up", async () => {
  const { buffer, returned } = open("all");
  buffer.push(1);
  buffer.push(2);
  for await (const event of buffer) {
    assert.equal(event, 1);
    break;
  }
  assert.equal(returned(), 1);
  assert.deepEqual(await buffer.next(), { done: true, value: undefined });
});

test("what waits can be taken at once, and then nothing is kept", async () => {
  const { buffer, returned } = open("all");
  buffer.push(1);
  buffer.push(2);
  assert.deepEqual(buffer.takeAll(), [1, 2]);
  assert.equal(returned(), 1);
  buffer.push(3);
  assert.deepEqual(await buffer.next(), { done: true, value: undefined });
});
