/**
 * Every golden journal still leads to the state and the events that it is pinned with. A difference
 * means that this program would replay old journals to something else: raise the rules version and
 * branch on it, and write the journal of the new version with
 *
 *     RIALTO_WRITE_GOLDEN=1 npm test -- test/models/golden.test.ts
 *
 * which makes the file of the present version anew. Those of released versions stay as they are.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { RULES_VERSION } from "../../src/engine/index.ts";
import { contractEntries } from "./contract/contract-golden.ts";
import { carryOut, entriesOf, type GoldenJournal, goldenJournalOf } from "./golden-journal.ts";

const FOLDER = join(import.meta.dirname, "../golden");
const SEED = 20_261_121;
const COMMANDS = 2_400;
const BYTES_MAX = 64 * 1024;

function pathOf(rulesVersion: number): string {
  return join(FOLDER, `rules-v${rulesVersion}.json`);
}

if (process.env.RIALTO_WRITE_GOLDEN === "1") {
  const golden = goldenJournalOf(contractEntries(SEED, COMMANDS));
  writeFileSync(pathOf(RULES_VERSION), `${JSON.stringify(golden, null, 2)}\n`);
}

test("there is one golden journal for every version of the rules", () => {
  const names = globSync("rules-v*.json", { cwd: FOLDER }).sort();
  const versions = Array.from({ length: RULES_VERSION }, (_, i) => `rules-v${i + 1}.json`);
  assert.deepEqual(names, versions.sort());
});

for (let version = 1; version <= RULES_VERSION; version++) {
  test(`the journal of rules version ${version} replays to the same state`, () => {
    assert.ok(statSync(pathOf(version)).size <= BYTES_MAX);
    const golden: GoldenJournal = JSON.parse(readFileSync(pathOf(version), "utf8"));
    const { journal: _, ...pinned } = golden;
    assert.equal(pinned.rulesVersion, version);
    assert.deepEqual(carryOut(entriesOf(golden)), pinned);
  });
}
