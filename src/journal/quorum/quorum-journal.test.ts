/**
 * Proves that the journal with a quorum keeps the contract of the port, and that its mirror is a
 * copy of the log whatever happened to either. Method: three real nodes of PostgreSQL; partitions
 * and segments are small, so that every test crosses several.
 */
import assert from "node:assert/strict";
import { readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import {
  type JournalAdapter,
  testJournalContract,
} from "../../../test/support/journal-contract.ts";
import {
  appendBatches,
  assertSameBatches,
  readAll,
  type Sent,
} from "../../../test/support/journal-workload.ts";
import { postgresMissing } from "../../../test/support/postgres-programs.ts";
import { QuorumStores } from "../../../test/support/quorum-store.ts";
import { seededRandom } from "../../../test/support/random.ts";
import { verifyJournal } from "../index.ts";

const random = seededRandom("quorum journal");
const skip = postgresMissing();
const stores = new QuorumStores();
after(() => stores.close());

const quorum: JournalAdapter = {
  name: "quorum",
  takesOver: true,
  share: 0.3,
  skip,
  store: () => stores.newStore(),
};
testJournalContract(quorum, random);

function segmentsOf(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".segment"));
  return names.sort().map((name) => join(folder, name));
}

test("a mirror that was lost, or torn at any byte, is the log again", { skip }, async () => {
  const store = await stores.newStore();
  const first = await store.open();
  const sent: Sent[] = [];
  await appendBatches(first, random, 40, 4, sent);
  await first.close();
  const batches = sent.map(({ batch }) => batch);
  for (let round = 0; round < 8; round++) {
    const last = segmentsOf(store.folder).at(-1) as string;
    if (round === 0) rmSync(store.folder, { recursive: true });
    else truncateSync(last, random.integer(512, statSync(last).size));
    const journal = await store.open();
    assertSameBatches(await readAll(journal), batches);
    await journal.close();
  }
  const { ok, damage } = await verifyJournal({ folder: store.folder });
  assert.ok(ok, damage.map(({ message }) => message).join());
  store.remove();
});
