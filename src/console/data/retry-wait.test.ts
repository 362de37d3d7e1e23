/** Proves that a page asks again after an outage, and waits when it is told to. */
import assert from "node:assert/strict";
import test from "node:test";
import { RialtoError } from "../../client/index.ts";
import { retryWaitMs } from "./retry-wait.ts";

function refused(status: number, retryAfterMs: number | null = null): RialtoError {
  const facts = { code: -1, family: "v3", field: null, attempts: 1 } as const;
  return new RialtoError("refused", { ...facts, status, retryAfterMs });
}

test("without an answer it is asked again, also what is asked once", () => {
  const lost = new TypeError("fetch failed");
  const waits = [1, 2, 3, 4, 9].map((failures) => retryWaitMs(lost, failures, null));
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 5_000, 5_000]);
  assert.equal(retryWaitMs(lost, 1, 30_000), 1_000);
  assert.equal(retryWaitMs(refused(503), 2, null), 2_000, "not ready yet");
});

test("beyond a limit it waits as long as the exchange says", () => {
  assert.equal(retryWaitMs(refused(429, 7_000), 1, 1_000), 7_000);
  assert.equal(retryWaitMs(refused(429, 1_000), 3, 5_000), 5_000);
  assert.equal(retryWaitMs(refused(429), 1, null), 1_000);
});

test("a refusal is no better a second later", () => {
  assert.equal(retryWaitMs(refused(403), 1, 2_000), 2_000);
  assert.equal(retryWaitMs(refused(400), 1, null), null);
});
