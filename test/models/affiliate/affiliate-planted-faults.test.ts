/**
 * Tests the tests of the affiliate programme: faults of a table are planted in a copy of the
 * code, and the model must notice each within a small budget. Without a fault it must notice
 * nothing, also where fewer commissions may be held than in the product.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { sampled, seededRandom } from "../../support/random.ts";
import type { FaultReport, PlantedFault } from "../planted-fault.ts";
import type { FaultRequest } from "./affiliate-fault-thread.ts";
import { AFFILIATE_FAULTS, FEW_HELD, fewHeldFault } from "./affiliate-planted-fault.ts";

const random = seededRandom("planted affiliate faults");
const THREADS = 2;
/**
 * Whether traffic meets a fault is luck: without a given seed it is the same traffic every time, so
 * that the outcome depends on the code alone.
 */
const seed = process.env.RIALTO_TEST_SEED === undefined ? 7 : random.integer(0, 2 ** 32 - 1);
const faults = sampled(AFFILIATE_FAULTS, random);
const found = new Map<string, string>();

function report(fault: PlantedFault | null, heldMax: number | null = null): Promise<FaultReport> {
  const request: FaultRequest = { fault, seed, heldMax };
  return new Promise((resolve, reject) => {
    const entry = new URL("./affiliate-fault-thread.ts", import.meta.url);
    const thread = new Worker(entry, { workerData: request });
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", () => reject(new Error("the thread ended without a report")));
  });
}

test("nothing is found in code without a planted fault", async () => {
  assert.deepEqual(await report(null), { finder: null, detail: "" });
});

test("beyond the bound of held commissions a flagged one is cut to nothing", async () => {
  assert.deepEqual(await report(fewHeldFault(), FEW_HELD), { finder: null, detail: "" });
  assert.notEqual((await report(fewHeldFault(), FEW_HELD - 1)).finder, null);
});

test("each planted fault is found", { concurrency: THREADS }, async (context) => {
  const tests = faults.map((fault) =>
    context.test(fault.name, async () => {
      const { finder, detail } = await report(fault);
      assert.ok(finder !== null, "no check noticed it");
      const place = detail.match(/run \d+/)?.[0] ?? "";
      const command = detail.match(/after \d+ commands/)?.[0] ?? "at the end";
      found.set(fault.name, `${finder}, ${place} ${command}`);
    }),
  );
  await Promise.all(tests);
  const width = Math.max(...faults.map(({ name }) => name.length));
  for (const { name } of faults) {
    console.log(`# ${name.padEnd(width)}  ${found.get(name) ?? "NOT FOUND"}`);
  }
});
