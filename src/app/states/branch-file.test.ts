/** Proves that a start never takes an earlier branch for the one that the exchange was on. */
import assert from "node:assert/strict";
import test from "node:test";
import { FaultyFileSystem, SimulatedDisk } from "../../../test/support/simulated-disk.ts";
import { StartRefused } from "../config.ts";
import { branchFolder, latestBranch, writeBranch, writeOrigin } from "./branch-file.ts";

const DATA = "/data";
const ORIGIN = {
  ...{ checkpoint: "kept", sequence: 7, stateHash: "a", chainHash: "b" },
  ...{ leftBranch: 0, madeMs: 1 },
};

/** A folder whose `branch.json` names a branch, or is missing, beside those that were in use. */
async function folderOn(number: number | null, used: readonly number[]): Promise<FaultyFileSystem> {
  const machine = new FaultyFileSystem(new SimulatedDisk());
  await machine.makeFolder(DATA);
  for (const one of used) {
    await machine.makeFolder(branchFolder(DATA, one));
    await writeOrigin(branchFolder(DATA, one), ORIGIN, machine);
  }
  if (number !== null) await writeBranch(DATA, { number, clockBehindMs: 5 }, machine);
  return machine;
}

test("the latest branch is started, beside older ones and one that was never used", async () => {
  assert.equal((await latestBranch(DATA, await folderOn(null, []))).number, 0);
  const machine = await folderOn(2, [1, 2]);
  await machine.makeFolder(branchFolder(DATA, 3));
  assert.deepEqual(await latestBranch(DATA, machine), { number: 2, clockBehindMs: 5 });
});

test("without branch.json, or with an older one, a later branch refuses the start", async () => {
  for (const [number, used] of [
    [null, [1]],
    [1, [1, 2]],
    [9, [10]],
  ] as const) {
    await assert.rejects(latestBranch(DATA, await folderOn(number, used)), (error) => {
      assert.ok(error instanceof StartRefused);
      assert.match(error.message, /branch\.json is missing or older than \S+, which was in use/);
      return true;
    });
  }
});
