/**
 * Tests the tests: faults of a table are planted in a copy of the code, and the checks of this
 * folder must notice each within a small budget. Where they did they must notice nothing without a
 * fault.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { sampled, seededRandom } from "../support/random.ts";
import { PLANTED_FAULTS, type PlantedFault, type RunsReport } from "./planted-fault.ts";

const random = seededRandom("planted faults");
const THREADS = 2;
const RUNS = 6;
/**
 * Whether traffic meets a fault is luck: without a given seed it is the same traffic every time, so
 * that the outcome depends on the code alone.
 */
const seed = process.env.RIALTO_TEST_SEED === undefined ? 1 : random.integer(0, 2 ** 32 - 1);
const faults = sampled(PLANTED_FAULTS, random);
const found = new Map<string, string>();
let lastRun = 0;

function report(fault: PlantedFault | null, runs: number): Promise<RunsReport> {
  return new Promise((resolve, reject) => {
    const entry = new URL("./planted-fault-thread.ts", import.meta.url);
    const thread = new Worker(entry, { workerData: { fault, seed, runs } });
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", () => reject(new Error("the thread ended without a report")));
  });
}

test("each planted fault is found", { concurrency: THREADS }, async (context) => {
  const tests = faults.map((fault) =>
    context.test(fault.name, async () => {
      const { finder, detail, run } = await report(fault, RUNS);
      assert.ok(finder !== null, "no check noticed it");
      lastRun = Math.max(lastRun, run);
      found.set(
        fault.name,
        `${finder}, ${detail.match(/after \d+ commands/)?.[0] ?? "at the end"}`,
      );
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
