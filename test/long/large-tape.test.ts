/**
 * Proves that a recording of 10 GB is checked and replayed in bounded memory: a heap of 20 MB, and
 * no more than 256 MB resident. The file is compressed, written for the test and deleted; it takes
 * 1.5 GB of disk and a quarter of an hour.
 */
import assert from "node:assert/strict";
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import test from "node:test";
import { measureTape } from "../support/large-tape.ts";

const BYTES = 10_000_000_000;
const DISK_BYTES = 3_000_000_000;
const RESIDENT_MAX = 256 * 1024 * 1024;

test("a recording of 10 GB is replayed in bounded memory", async (t) => {
  const { bavail, bsize } = statfsSync(tmpdir());
  assert.ok(bavail * bsize > DISK_BYTES, `${tmpdir()} has less than ${DISK_BYTES} bytes free`);
  const { bytes, written, messages, residentBytes } = await measureTape(BYTES);
  assert.ok(bytes >= BYTES);
  assert.equal(messages, written);
  assert.ok(residentBytes < RESIDENT_MAX, `${residentBytes} bytes were resident`);
  t.diagnostic(`${bytes} bytes of rows, ${messages} messages, ${residentBytes} bytes resident`);
});
