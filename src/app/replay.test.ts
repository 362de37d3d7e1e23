/** Proves that a program says so when a log follows rules that came after it. */
import assert from "node:assert/strict";
import test from "node:test";
import { RULES_VERSION } from "../engine/index.ts";
import { encodeCommand, RecordRun } from "../protocol/index.ts";
import { Replay, ReplayDivergence } from "./replay.ts";

test("rules that the program does not know end a replay with what to do", () => {
  const record = encodeCommand({ type: "adopt-rules", version: RULES_VERSION + 1 });
  const batch = {
    firstSequence: 1,
    timestampMs: 1_760_000_000_000,
    records: new RecordRun(record, new Uint32Array([0, record.length])),
    eventDigest: null,
    epoch: 1,
    chainHash: new Uint8Array(32),
  };
  const sentence = new RegExp(
    `^from command 1 on the log follows rules ${RULES_VERSION + 1}, and this program knows ` +
      `rules up to ${RULES_VERSION}: start a newer version of Rialto$`,
  );
  assert.throws(
    () => Replay.from(null).apply(batch),
    (error) => error instanceof ReplayDivergence && sentence.test(error.message),
  );
});
