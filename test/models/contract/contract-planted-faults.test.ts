/**
 * Tests the tests of contracts: faults of a table are planted in a copy of the code, and the
 * model must notice each within a small budget. Where it did it must notice nothing without a
 * fault.
 *
 * Where each was noticed the last time stands in a file, and is tried first. To write it anew:
 *
 *     RIALTO_WRITE_PLACES=1 npm test -- test/models/contract/contract-planted-faults.test.ts
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { sampled, seededRandom } from "../../support/random.ts";
import type { PlantedFault } from "../planted-fault.ts";
import type { ContractFaultReport } from "./contract-fault-thread.ts";
import { CONTRACT_FAULTS } from "./contract-planted-fault.ts";

const random = seededRandom("planted contract faults");
const THREADS = 2;
/**
 * Whether traffic meets a fault is luck: without a given seed it is the same traffic every time, so
 * that the outcome depends on the code alone.
 */
const seed = process.env.RIALTO_TEST_SEED === undefined ? 7 : random.integer(0, 2 ** 32 - 1);
const isWriting = process.env.RIALTO_WRITE_PLACES === "1";
const faults = isWriting ? CONTRACT_FAULTS : sampled(CONTRACT_FAULTS, random);
const found = new Map<string, string>();
const PLACES_PATH = join(import.meta.dirname, "contract-fault-places.json");
const places: Readonly<Record<string, string>> = JSON.parse(readFileSync(PLACES_PATH, "utf8"));
const noticed = new Map<string, string>();

function report(
  fault: PlantedFault | null,
  only: readonly string[] | null = null,
): Promise<ContractFaultReport> {
  return new Promise((resolve, reject) => {
    const entry = new URL("./contract-fault-thread.ts", import.meta.url);
    const thread = new Worker(entry, {
      workerData: { fault, seed, place: places[fault?.name ?? ""] ?? null, only },
    });
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", () => reject(new Error("the thread ended without a report")));
  });
}

test("each planted fault is found", { concurrency: THREADS }, async (context) => {
  const tests = faults.map((fault) =>
    context.test(fault.name, async () => {
      const { finder, detail, place } = await report(fault);
      assert.ok(finder !== null && place !== null, "no check noticed it");
      const command = detail.match(/after \d+ commands/)?.[0] ?? "at the end";
      found.set(fault.name, `${finder}, ${place}, ${command}`);
      noticed.set(fault.name, place);
    }),
  );
  await Promise.all(tests);
  if (isWriting) {
    const sorted = Object.fromEntries([...noticed].sort());
    writeFileSync(PLACES_PATH, `${JSON.stringify(sorted, null, 2)}\n`);
  }
  const width = Math.max(...faults.map(({ name }) => name.length));
  for (const { name } of faults) {
    console.log(`# ${name.padEnd(width)}  ${found.get(name) ?? "NOT FOUND"}`);
  }
});

test("nothing is found there in code without a planted fault", async () => {
  const where = [...new Set(noticed.values())];
  assert.ok(where.length > 0);
  assert.deepEqual(await report(null, where), { finder: null, detail: "", place: null });
});
