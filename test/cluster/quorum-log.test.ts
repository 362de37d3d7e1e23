/**
 * Proves that a node's copy of the log has what is durable and nothing else, whatever stops it in
 * between: a primary without a quorum shows a commit that the copy does not take, a disk fails in
 * the middle of a fetch, and the copy goes on where it was; and that whoever takes the lead from a
 * copy goes on behind all of it, while the writer before is fenced.
 */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { MemberRows, QuorumLog, trimLog } from "../../src/journal/index.ts";
import { type FileSystem, NODE_PLATFORM, type OpenFile } from "../../src/platform/index.ts";
import {
  appendBatches,
  assertPromiseKept,
  randomBatch,
  readAll,
  type Sent,
} from "../support/journal-workload.ts";
import { postgresMissing } from "../support/postgres-programs.ts";
import { type QuorumStore, QuorumStores } from "../support/quorum-store.ts";
import { seededRandom } from "../support/random.ts";
import { waitUntil } from "../support/wait-until.ts";

const random = seededRandom("quorum log");
const skip = postgresMissing();
const stores = new QuorumStores();
after(() => stores.close());

/** A disk of which a write fails when it is told to. */
class FailingDisk {
  writesUntilFailure = Number.POSITIVE_INFINITY;
  failures = 0;
  readonly files: FileSystem;

  constructor() {
    const inner = NODE_PLATFORM.files;
    this.files = new Proxy(inner, {
      get: (target, name) => {
        if (name === "open") {
          return async (...args: Parameters<FileSystem["open"]>) => {
            return this.#failing(await inner.open(...args));
          };
        }
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  #failing(file: OpenFile): OpenFile {
    return new Proxy(file, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target);
        if (name !== "writeNow") return typeof value === "function" ? value.bind(target) : value;
        return (...args: Parameters<OpenFile["writeNow"]>) => {
          if (--this.writesUntilFailure === 0) {
            this.failures++;
            this.writesUntilFailure = Number.POSITIVE_INFINITY;
            throw new Error("the disk took no write");
          }
          return target.writeNow(...args);
        };
      },
    });
  }
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "rialto-copy-"));
}

/** Of its connections, for who looks at them in PostgreSQL. */
const COPY = "copy";

function tryOpenCopy(
  store: QuorumStore,
  folder: string,
  fileSystem: FileSystem = NODE_PLATFORM.files,
  messages: string[] = [],
) {
  const { clock, network, scheduler } = NODE_PLATFORM;
  const log = (_level: string, message: string): void => {
    messages.push(message);
  };
  const urls = store.urls.map((url) => `${url}?application_name=${COPY}`);
  const common = { urls, fileSystem, network, scheduler, clock, log };
  return QuorumLog.open({ ...common, venueId: null, folder, segmentBytes: 4096 });
}

async function openCopy(store: QuorumStore, fileSystem?: FileSystem, folder = newFolder()) {
  const messages: string[] = [];
  const opening = await tryOpenCopy(store, folder, fileSystem, messages);
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  const copy = opening.journal;
  copy.follow((error) => messages.push(`ended: ${error.message}`));
  const close = async (): Promise<void> => {
    await copy.close();
    rmSync(folder, { recursive: true });
  };
  return { copy, folder, messages, close };
}

test("a copy goes on where a failing disk stopped it", { skip }, async () => {
  const store = await stores.newStore();
  const journal = await store.open();
  const sent: Sent[] = [];
  const disk = new FailingDisk();
  const { copy, messages, close } = await openCopy(store, disk.files);
  assert.equal(copy.venueId, store.venueId);
  for (let round = 0; round < 4; round++) {
    disk.writesUntilFailure = random.integer(2, 6);
    await appendBatches(journal, random, 12, 1, sent);
    await waitUntil("the copy is whole", async () => copy.lastSequence === journal.lastSequence);
    assertPromiseKept(await readAll(copy), sent);
  }
  assert.ok(disk.failures > 1, `${disk.failures} failures`);
  assert.match(messages.join(), /not followed at present: the disk took no write/);
  assert.doesNotMatch(messages.join(), /ended/);
  await journal.close();
  await close();
  store.remove();
});

test("what a primary shows without a quorum is not taken, nor what it still shows after", {
  skip,
}, async () => {
  const store = await stores.newStore();
  const { primary } = store.cluster;
  const journal = await store.open();
  const sent: Sent[] = [];
  await appendBatches(journal, random, 3, 1, sent);
  const { copy, close } = await openCopy(store);
  const before = copy.lastSequence;
  primary.replication.break();
  const batch = randomBatch(random, journal.lastSequence);
  const answer = journal.append(journal.lastSequence, journal.epoch, batch);
  sent.push({ batch, result: "durable" });
  const waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  await waitUntil("the commit waits", async () => (await primary.query(waiting)).length > 0);
  const [backend] = await primary.query(waiting);
  // From now on everybody sees the row, on one disk.
  await primary.query("SELECT pg_cancel_backend($1)", [backend?.pid]);
  const seen =
    "SELECT max(last_sequence)::int AS last, clock_timestamp()::text AS at FROM rialto.log";
  let seenAt: unknown;
  await waitUntil("the row is seen", async () => {
    const [row] = await primary.query(seen);
    seenAt = row?.at;
    return (row?.last as number) > before;
  });
  // What it asked for before is not answered; it connects anew, sees the row, and waits for more.
  const looked =
    `SELECT 1 FROM pg_stat_activity WHERE application_name = '${COPY}' ` +
    "AND wait_event = 'SyncRep' AND backend_start > $1::timestamptz";
  await waitUntil("the copy has looked", async () => {
    return copy.lastSequence > before || (await primary.query(looked, [seenAt])).length > 0;
  });
  assert.equal(copy.lastSequence, before);
  primary.replication.mend();
  assert.equal(await answer, "durable");
  await waitUntil("the copy is whole", async () => copy.lastSequence === journal.lastSequence);
  assertPromiseKept(await readAll(copy), sent);
  await journal.close();
  await close();
  store.remove();
});

test("who leads from a copy goes on behind all of it", { skip }, async () => {
  const store = await stores.newStore();
  const journal = await store.open();
  const sent: Sent[] = [];
  const { copy, close } = await openCopy(store);
  await appendBatches(journal, random, 8, 2, sent);
  assert.equal(await copy.append(copy.lastSequence, copy.epoch, randomBatch(random, 0)), "fenced");
  await copy.lead();
  assert.equal(copy.lastSequence, journal.lastSequence);
  const late = randomBatch(random, journal.lastSequence);
  assert.equal(await journal.append(journal.lastSequence, journal.epoch, late), "fenced");
  assert.ok(copy.epoch > journal.epoch);
  const batch = randomBatch(random, copy.lastSequence);
  assert.equal(await copy.append(copy.lastSequence, copy.epoch, batch), "durable");
  sent.push({ batch, result: "durable" });
  assertPromiseKept(await readAll(copy), sent);
  await journal.close();
  await close();
  store.remove();
});

test("old parts are dropped once all nodes have them, and a new node begins with another's files", {
  skip,
}, async () => {
  const store = await stores.newStore();
  const { urls, venueId } = store;
  const journal = await store.open();
  const sent: Sent[] = [];
  const own = await openCopy(store);
  for (let commit = 0; commit < 40; commit++) await appendBatches(journal, random, 1, 1, sent);
  const last = journal.lastSequence;
  await waitUntil("the copy is whole", async () => own.copy.lastSequence === last);
  const members = new MemberRows({ ...NODE_PLATFORM, urls, venueId, log: () => undefined });
  const told = {
    run: "r",
    url: "",
    link: "",
    version: "1",
    rules: 1,
    lagMs: 0,
    masterKeys: {},
    sealing: 1,
  };
  const trim = (keep: number) => trimLog({ ...NODE_PLATFORM, urls, keep });
  assert.deepEqual(await trim(0), { dropped: 0, after: 0, heldBy: null }, "nobody has it");
  await members.tell({ ...told, name: "n1", sequence: last });
  await members.tell({ ...told, name: "n2", sequence: 0 });
  assert.deepEqual(await trim(0), { dropped: 0, after: 0, heldBy: "n2" });
  await members.tell({ ...told, name: "n2", sequence: last });
  assert.equal((await trim(last)).dropped, 0, "all of it is kept");
  const { after, dropped, heldBy } = await trim(0);
  assert.ok(dropped >= 3 && after > 0 && heldBy === null, `${dropped} parts, after ${after}`);
  assert.equal((await trim(0)).dropped, 0);

  await appendBatches(journal, random, 10, 1, sent);
  const refused = await tryOpenCopy(store, newFolder());
  assert.match(
    refused.ok ? "" : refused.refusal.message,
    /begins after sequence 0, where this node's copy ends\. Begin with the files of another node/,
  );
  // Of a node that goes on meanwhile.
  const folder = newFolder();
  cpSync(own.folder, folder, { recursive: true });
  const begun = await openCopy(store, undefined, folder);
  const isWhole = async () => begun.copy.lastSequence === journal.lastSequence;
  await waitUntil("the new node has all of it", isWhole);
  assertPromiseKept(await readAll(begun.copy), sent);
  await begun.copy.lead();
  const batch = randomBatch(random, begun.copy.lastSequence);
  assert.equal(
    await begun.copy.append(begun.copy.lastSequence, begun.copy.epoch, batch),
    "durable",
  );
  await Promise.all([members.close(), journal.close(), begun.close(), own.close()]);
  store.remove();
});
