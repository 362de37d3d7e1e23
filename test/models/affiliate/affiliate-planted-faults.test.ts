/**
 * Tests the tests of the affiliate programme: faults of a table are planted in a copy of the
 * code, and the model must notice each within a small budget. Where it did it must notice nothing
 * without a fault, also where fewer commissions may be held than in the product.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { sampled, seededRandom } from "../../support/random.ts";
import type { PlantedFault, RunsReport } from "../planted-fault.ts";
import type { FaultRequest } from "./affiliate-fault-thread.ts";
import { AFFILIATE_FAULTS, FEW_HELD, fewHeldFault } from "./affiliate-planted-fault.ts";

const random = seededRandom("planted affiliate faults");
const THREADS = 2;
const RUNS = 8;
/**
 * Whether traffic meets a fault is luck: without a given seed it is the same traffic every time, so
 * that the outcome depends on the code alone.
 */
const seed = process.env.RIALTO_TEST_SEED === undefined ? 7 : random.integer(0, 2 ** 32 - 1);
const faults = sampled(AFFILIATE_FAULTS, random);
const found = new Map<string, string>();
let lastRun = 0;

function report(
  fault: PlantedFault | null,
  runs: number,
  heldMax: number | null = null,
): Promise<RunsReport> {
  const request: FaultRequest = { fault, seed, heldMax, runs };
  return new Promise((resolve, reject) => {
    const entry = new URL("./affiliate-fault-thread.ts", import.meta.url);
    const thread = new Worker(entry, { workerData: request });
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", () => reject(new Error("the thread ended without a report")));
  });
}

test("beyond the bound of held commissions a flagged one is cut to nothing", async () => {
  const { finder, run } = await report(fewHeldFault(), RUNS, FEW_HELD - 1);
  assert.notEqual(finder, null);
  assert.deepEqual(await report(fewHeldFault(), run, FEW_HELD), { finder: null, detail: "", run });
});

test("each planted fault is found", { concurrency: THREADS }, async (context) => {
  const tests = faults.map((fault) =>
    context.test(fault.name, async () => {
      const { finder, detail, run } = await report(fault, RUNS);
      assert.ok(finder !== null, "no check noticed it");
      lastRun = Math.max(lastRun, run);
      const command = detail.match(/after \d+ commands/)?.[0] ?? "at the end";
      found.set(fault.name, `${finder}, run ${run} ${command}`);
    }),
  );
  await Promise.all(tests);
  const width = Math.max(...faults.map(({ name }) => name.length));
  for (const { name } of faults) {
    console.log(`# ${name.padEnd(width)}  ${found.get(name) ?? "NOT FOUND"}`);
  }
});

test("nothing is found there in code without a planted fault", async () => {
  assert.ok(lastRun > 0);
  assert.deepEqual(await report(null, lastRun), { finder: null, detail: "", run: lastRun });
});
