/**
 * Proves what each answer of the journal with a quorum means, whatever happens between it and its
 * three nodes of PostgreSQL: lost answers, silent networks, cancelled and killed commits, machines
 * that die, promotions, a second writer, a log that lacks what it had. After every fault the log
 * has each acknowledged batch once, and a new node's copy of it is the same.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { LeaseRow, MemberRows } from "../../src/journal/index.ts";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import type { AppendResult } from "../../src/protocol/index.ts";
import {
  appendBatches,
  assertPromiseKept,
  lastSequenceOf,
  randomBatch,
  readAll,
  type Sent,
} from "../support/journal-workload.ts";
import { postgresMissing } from "../support/postgres-programs.ts";
import { type QuorumStore, QuorumStores } from "../support/quorum-store.ts";
import { seededRandom } from "../support/random.ts";
import { waitUntil } from "../support/wait-until.ts";

const random = seededRandom("quorum journal under faults");
const skip = postgresMissing();
const stores = new QuorumStores();
after(() => stores.close());

type QuorumJournal = Awaited<ReturnType<QuorumStore["open"]>>;

/** Appends one batch; the answer is in `sent` when it has come. */
function appendOne(journal: QuorumJournal, sent: Sent[]): Promise<AppendResult> {
  const last = journal.lastSequence;
  const entry: Sent = { batch: randomBatch(random, last), result: "unanswered" };
  sent.push(entry);
  const answer = journal.append(last, journal.epoch, entry.batch);
  return answer.then((result) => {
    entry.result = result;
    return result;
  });
}

/** A node without a copy reads the log: it has what was acknowledged, and nothing twice. */
async function assertLogKept(store: QuorumStore, sent: readonly Sent[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "rialto-quorum-"));
  const opening = await store.tryOpen({ folder });
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  assertPromiseKept(await readAll(opening.journal), sent);
  await opening.journal.close();
  rmSync(folder, { recursive: true });
}

/** Those that wait for the quorum, and since when. */
async function waitingBackends({ cluster }: QuorumStore) {
  const waiting =
    "SELECT pid, query_start::text AS since FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  const rows = await cluster.primary.query(waiting);
  return rows as readonly { readonly pid: number; readonly since: string }[];
}

test("an answer that is lost, or never comes, is found and given once", { skip }, async () => {
  const store = await stores.newStore();
  const { clients } = store.cluster.primary;
  const journal = await store.open();
  const sent: Sent[] = [];
  for (let round = 0; round < 3; round++) {
    await appendBatches(journal, random, 3, 2, sent);
    clients.answersToLose = 1;
    assert.equal(await appendOne(journal, sent), "durable");
  }
  clients.silence();
  const answer = appendOne(journal, sent);
  await waitUntil("the silence is noticed", async () => /no answer/.test(store.messages.join()));
  clients.mend();
  assert.equal(await answer, "durable");
  const { epoch } = journal;
  await journal.close();
  await assertLogKept(store, sent);
  assert.ok(sent.every(({ result }) => result === "durable"));
  assert.equal(epoch, 1, "one writer, one epoch");
  store.remove();
});

test("a commit whose wait is cancelled or killed is not durable yet", { skip }, async () => {
  const store = await stores.newStore();
  const { primary } = store.cluster;
  const journal = await store.open();
  const sent: Sent[] = [];
  for (const stop of ["pg_cancel_backend", "pg_terminate_backend"]) {
    await appendBatches(journal, random, 2, 1, sent);
    primary.replication.break();
    const answer = appendOne(journal, sent);
    await waitUntil("it waits", async () => (await waitingBackends(store)).length > 0);
    const [first] = await waitingBackends(store);
    await primary.query(`SELECT ${stop}($1)`, [first?.pid]);
    await waitUntil("it waits again, or is answered", async () => {
      const now = await waitingBackends(store);
      const same = now.find(({ pid }) => pid === first?.pid);
      assert.equal(same?.since ?? first?.since, first?.since, "nothing more is asked there");
      const waitsAgain = now.length > 0 && same === undefined;
      return waitsAgain || sent.at(-1)?.result !== "unanswered";
    });
    assert.equal(sent.at(-1)?.result, "unanswered");
    primary.replication.mend();
    assert.equal(await answer, "durable");
  }
  await journal.close();
  await assertLogKept(store, sent);
  store.remove();
});

test("who was taken over while nobody answered is fenced", { skip }, async () => {
  const store = await stores.newStore();
  const old = await store.open();
  const sent: Sent[] = [];
  await appendBatches(old, random, 5, 2, sent);
  const { clients } = store.cluster.primary;
  clients.break();
  const answer = appendOne(old, sent);
  await waitUntil("it tries again", async () => /does not answer/.test(store.messages.join()));
  const { port } = store.cluster.primary;
  const urls = store.urls.map((url) => url.replace(`:${clients.port}/`, `:${port}/`));
  const folder = mkdtempSync(join(tmpdir(), "rialto-quorum-"));
  const opening = await store.tryOpen({ folder, urls });
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  const current = opening.journal;
  assert.ok(current.epoch > old.epoch);
  assertPromiseKept(await readAll(current), sent);
  await appendBatches(current, random, 3, 1, []);
  clients.mend();
  assert.equal(await answer, "fenced");
  assert.equal(await old.append(old.lastSequence, old.epoch, randomBatch(random, 0)), "fenced");
  await old.close();
  await current.close();
  rmSync(folder, { recursive: true });
  store.remove();
});

test("a log that lacks what was durable is noticed by its writer and its copy", {
  skip,
}, async () => {
  const store = await stores.newStore();
  const journal = await store.open();
  const sent: Sent[] = [];
  await appendBatches(journal, random, 6, 1, sent);
  await store.query("ALTER TABLE rialto.log DISABLE TRIGGER ALL");
  await store.query("DELETE FROM rialto.log WHERE ordinal = (SELECT max(ordinal) FROM rialto.log)");
  assert.equal(await appendOne(journal, sent), "missing");
  await journal.close();
  const opening = await store.tryOpen();
  const last = lastSequenceOf(sent.at(-2)?.batch as Sent["batch"]);
  assert.match(
    opening.ok ? "" : opening.refusal.message,
    new RegExp(`^the log in PostgreSQL, sequence ${last}: the log ends with sequence \\d+\\. `),
  );
  store.remove();
});

test("nobody writes behind the row that took the place of a lost one", { skip }, async () => {
  const store = await stores.newStore();
  const old = await store.open();
  const sent: Sent[] = [];
  await appendBatches(old, random, 4, 1, sent);
  await store.query("ALTER TABLE rialto.log DISABLE TRIGGER ALL");
  await store.query("DELETE FROM rialto.log WHERE ordinal = (SELECT max(ordinal) FROM rialto.log)");
  const folder = mkdtempSync(join(tmpdir(), "rialto-quorum-"));
  const opening = await store.tryOpen({ folder });
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  assert.equal(await appendOne(old, sent), "missing");
  await appendBatches(opening.journal, random, 3, 1, []);
  await old.close();
  await opening.journal.close();
  rmSync(folder, { recursive: true });
  store.remove();
});

test("of a beat and a claim on their way together one is done", { skip }, async () => {
  const store = await stores.newStore();
  const { primary } = store.cluster;
  const leader = store.newLease();
  const other = store.newLease();
  assert.equal(await leader.claim("leader", 0), true);
  assert.equal(await other.beat("other"), false);
  assert.equal(await other.claim("other", 0), false);
  for (const isBeatFirst of [true, false]) {
    const { beat: seen } = await leader.read();
    const beat = () => leader.beat("leader");
    const claim = () => other.claim("other", seen);
    const [first, second] = isBeatFirst ? [beat, claim] : [claim, beat];
    primary.replication.break();
    const begun = first();
    await waitUntil("the first waits", async () => (await waitingBackends(store)).length > 0);
    // It waits for the first, and after a while gives up.
    let hasGivenUp = false;
    const behind = second().catch(() => {
      hasGivenUp = true;
      return false;
    });
    const locked = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    const waits = async () => hasGivenUp || (await primary.query(locked)).length > 0;
    await waitUntil("the second waits", waits);
    primary.replication.mend();
    assert.deepEqual([await begun, await behind], [true, false]);
    const [row] = await store.query("SELECT owner, beat::int FROM rialto.lease");
    assert.deepEqual(row, { owner: isBeatFirst ? "leader" : "other", beat: seen + 1 });
  }
  // Only its owner frees it, and then nobody has it.
  const { beat } = await leader.read();
  await leader.release("leader");
  assert.deepEqual(await leader.read(), { beat, owner: "other" });
  await other.release("other");
  assert.deepEqual(await leader.read(), { beat: beat + 1, owner: "" });
  assert.equal(await other.beat("other"), false);
  assert.equal(await leader.claim("leader", beat + 1), true);
  // Only its owner gives it to another.
  assert.equal(await other.handOver("other", "third"), false);
  assert.deepEqual(await leader.read(), { beat: beat + 2, owner: "leader" });
  assert.equal(await leader.handOver("leader", "third"), true);
  assert.deepEqual(await leader.read(), { beat: beat + 3, owner: "third" });
  await store.closeLeases();
  store.remove();
});

test("nobody changes the log", { skip }, async () => {
  const store = await stores.newStore();
  for (const change of ["UPDATE rialto.log SET epoch = 9", "DELETE FROM rialto.log"]) {
    await assert.rejects(store.query(change), /rialto.log only grows/);
  }
  await assert.rejects(store.query("TRUNCATE rialto.log"), /rialto.log only grows/);
  const [stored] = await store.query(
    "SELECT attstorage FROM pg_attribute WHERE attrelid = 'rialto.log_0'::regclass " +
      "AND attname = 'bytes'",
  );
  assert.equal(stored?.attstorage, "e", "bytes are not compressed in the path of a commit");
  store.remove();
});

test("a node of the role of a writer writes the log, and can do nothing else to it", {
  skip,
}, async () => {
  const store = await stores.newStore();
  await store.query("DROP ROLE IF EXISTS plain, node");
  await store.query("CREATE ROLE plain LOGIN; CREATE ROLE node LOGIN IN ROLE rialto_writer");
  const as = (user: string) => store.urls.map((url) => url.replace("//rialto@", `//${user}@`));
  const refused = await store.tryOpen({ urls: as("plain") });
  assert.match(
    refused.ok ? "" : refused.refusal.message,
    /does not let its user plain do what .* \(USAGE .*INSERT on rialto.log.*make_partition/,
  );
  for (const right of ["INSERT ON rialto.log", "UPDATE ON rialto.lease"]) {
    await store.query(`REVOKE ${right} FROM rialto_writer`);
    const without = await store.tryOpen({ urls: as("node") });
    const what = right.replace("ON", "on");
    assert.match(without.ok ? "" : without.refusal.message, new RegExp(`\\(${what}\\): GRANT`));
    await store.query(`GRANT ${right} TO rialto_writer`);
  }
  const opening = await store.tryOpen({ urls: as("node") });
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  const sent: Sent[] = [];
  // Over several partitions.
  await appendBatches(opening.journal, random, 20, 1, sent);
  const { network, scheduler } = NODE_PLATFORM;
  const reached = { urls: as("node"), network, scheduler };
  const session = { ...reached, venueId: store.venueId, log: () => undefined };
  const lease = new LeaseRow(session);
  assert.ok(await lease.claim("node", 0));
  const members = new MemberRows(session);
  assert.equal((await members.read()).counted, 2, "it sees who counts");
  await members.removeKey("none");
  for (const change of [
    "UPDATE rialto.log SET epoch = 9",
    "DELETE FROM rialto.log",
    "TRUNCATE rialto.log",
    "DROP TABLE rialto.log_0",
    "ALTER TABLE rialto.log DISABLE TRIGGER ALL",
    "UPDATE rialto.venue SET generation = 9",
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'rialto'",
  ]) {
    await assert.rejects(
      store.query(`SET ROLE node; ${change}`),
      /permission denied|must be owner/,
      change,
    );
  }
  await Promise.all([lease.close(), members.close(), opening.journal.close()]);
  await assertLogKept(store, sent);
  store.remove();
});

test("what would weaken the promise is refused with a sentence", { skip }, async () => {
  const store = await stores.newStore();
  const { primary } = store.cluster;
  const refusalOf = async (venueId?: string): Promise<string> => {
    const opening = await store.tryOpen(venueId === undefined ? {} : { venueId });
    assert.ok(!opening.ok);
    return opening.refusal.message;
  };
  const [before] = await primary.query("SHOW synchronous_standby_names");
  for (const [name, value, sentence] of [
    ["synchronous_standby_names", "", /has no synchronous standby/],
    ["fsync", "off", /has fsync off/],
    ["full_page_writes", "off", /has full_page_writes off/],
    ["synchronous_commit", "remote_write", /has synchronous_commit remote_write/],
  ] as const) {
    await primary.configure({ [name]: value });
    assert.match(await refusalOf(), sentence);
    const usual = name === "synchronous_standby_names" ? `${before?.[name]}` : "on";
    await primary.configure({ [name]: usual });
  }
  const another = "00000000-0000-4000-8000-000000000000";
  assert.match(
    await refusalOf(another),
    new RegExp(
      `has the log of venue ${store.venueId}, and this data folder is of venue ${another}`,
    ),
  );
  await store.query("UPDATE rialto.venue SET log_version = 3");
  assert.match(await refusalOf(), /has a log of version 3, this program knows 2/);
  await store.query("UPDATE rialto.venue SET log_version = 1");
  assert.match(await refusalOf(), /has a log of version 1, which this program does not write/);
  await store.query("DROP SCHEMA rialto CASCADE");
  assert.match(await refusalOf(), /has no log of Rialto in this database/);
  store.remove();
});

test("a writer outlives failovers in one epoch", { skip }, async () => {
  const store = await stores.newStore();
  const { cluster } = store;
  const journal = await store.open();
  const { epoch } = journal;
  const sent: Sent[] = [];
  let isOver = false;
  const writing = (async () => {
    while (!isOver) assert.equal(await appendOne(journal, sent), "durable");
  })();
  for (const kind of ["dies", "is cut off"]) {
    const before = journal.lastSequence;
    await waitUntil("it writes", async () => journal.lastSequence > before + 20);
    const old = cluster.primary;
    if (kind === "dies") await old.kill();
    else old.replication.break();
    await cluster.failOver();
    const since = journal.lastSequence;
    await waitUntil("it writes to the new one", async () => journal.lastSequence > since + 20);
    await old.stop();
    old.replication.mend();
    if (kind === "dies") await cluster.join(old);
  }
  isOver = true;
  await writing;
  assert.equal(journal.epoch, epoch);
  await journal.close();
  await assertLogKept(store, sent);
  console.log(`# two failovers, ${sent.length} commits, all durable, each once`);
  store.remove();
});
