/**
 * Proves that the memory of a replay does not grow with its recording: 28 MB of rows are checked
 * and replayed by a process that may have a heap of 20 MB. `test/long` does it with 10 GB.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { measureTape } from "../support/large-tape.ts";

const BYTES = 28_000_000;
const RESIDENT_MAX = 256 * 1024 * 1024;

test("a recording larger than the heap is replayed", async (t) => {
  const { bytes, written, messages, residentBytes } = await measureTape(BYTES);
  assert.ok(bytes >= BYTES);
  assert.equal(messages, written);
  assert.ok(residentBytes < RESIDENT_MAX, `${residentBytes} bytes were resident`);
  t.diagnostic(`${bytes} bytes of rows, ${messages} messages, ${residentBytes} bytes resident`);
});
