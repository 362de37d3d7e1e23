/**
 * Proves that a node of PostgreSQL with a history of its own confirms nothing. A primary that was
 * cut off writes on alone and comes back as a standby, which nobody copied: PostgreSQL counts its
 * flushes if its name is listed, and acknowledges commits that are on one machine. Names with the
 * generation of the membership keep it out; the same test sees the false quorum without them, and
 * that no node of Rialto writes to such a primary. Where names have no generation, as Patroni's,
 * PostgreSQL acknowledges what is on one machine, and a leader that asks the standbys does not.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { AnswerGate } from "../../src/cluster/index.ts";
import {
  createQuorumLog,
  failOver,
  MembershipRefused,
  openQuorumJournal,
} from "../../src/journal/index.ts";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import { temporaryFolder } from "../support/exchange-process.ts";
import { randomBatch } from "../support/journal-workload.ts";
import { PostgresCluster } from "../support/postgres-cluster.ts";
import type { PostgresNode } from "../support/postgres-node.ts";
import { postgresMissing } from "../support/postgres-programs.ts";
import { seededRandom } from "../support/random.ts";
import { waitUntil } from "../support/wait-until.ts";

const VENUE = "00000000-0000-4000-8000-00000000000a";
const GENERATION = "SELECT generation FROM rialto.venue";
/** More than one digit: a log's end is the highest number, not the last text. */
const COMMITS = 12;
const COMMIT =
  "INSERT INTO rialto.log SELECT ordinal, 0, ordinal, sha256('') " +
  `FROM generate_series(1, ${COMMITS}) AS ordinal`;
/** Long enough for a commit that somebody confirms. */
const UNCONFIRMED_MS = 1500;
/** What a leader tells before anybody has it is younger. */
const CONFIRMED_WITHIN_MS = 1000;

test("a diverged member", { skip: postgresMissing() }, async (t) => {
  const cluster = await PostgresCluster.start();
  t.after(() => cluster.stop());
  const { urls } = cluster;
  const [old, next, third] = cluster.nodes as [PostgresNode, PostgresNode, PostgresNode];
  const created = await createQuorumLog({ ...NODE_PLATFORM, urls, venueId: VENUE });
  assert.ok(created.ok);
  await old.query(COMMIT);
  const has = `SELECT 1 FROM rialto.log WHERE ordinal = ${COMMITS}`;
  await waitUntil("n2 has it too", async () => {
    const [made] = await next.query("SELECT to_regclass('rialto.log') AS log");
    return made?.log !== null && (await next.query(has)).length === 1;
  });
  const failOverNow = (loseAcknowledged = false) =>
    failOver({ ...NODE_PLATFORM, urls, loseAcknowledged, copySequence: COMMITS + 7 });

  await t.test("nobody is promoted while a member that may have more is not heard", async () => {
    await old.kill();
    await third.kill();
    await assert.rejects(failOverNow(), (error) => {
      assert.ok(error instanceof MembershipRefused);
      assert.match(error.message, /Of n1 and n3 one was the primary/);
      assert.match(error.message, /ends with sequence 12: commands 13 to 19.* are lost/);
      return true;
    });
    await third.start();
    await old.start();
  });

  await t.test("a failover raises the generation, and leaves the old primary out", async () => {
    await cluster.whole();
    await receiveHalfOfARecord(cluster);
    old.clients.break();
    old.replication.break();
    const done = await failOverNow();
    const { away, generation, sequence } = done;
    assert.deepEqual([generation, away, sequence], [2, ["n1"], COMMITS]);
    const primary = done.primary === "n2" ? next : third;
    assert.deepEqual(await primary.query(GENERATION), [{ generation: 2 }]);
    const [names] = await primary.query("SHOW synchronous_standby_names");
    const other = done.primary === "n2" ? "n3" : "n2";
    assert.equal(names?.synchronous_standby_names, `ANY 1 (n1_g2, ${other}_g2)`);
  });

  await t.test("a failover that was broken off is gone on with", async () => {
    const { node, primary } = await writtenOf(cluster.nodes);
    await primary.query("UPDATE rialto.venue SET generation = 1");
    await node.query("ALTER SYSTEM SET primary_conninfo = ''");
    await node.query("SELECT pg_reload_conf()");
    const done = await failOverNow();
    assert.deepEqual([done.primary, done.generation], [primary.name, 2]);
    assert.deepEqual([done.standbys, done.away], [[node.name], ["n1"]]);
    assert.deepEqual(await primary.query(GENERATION), [{ generation: 2 }]);
  });

  await t.test("it counts under an old name alone, and there it is not written", () =>
    comesBackDiverged(cluster),
  );

  await t.test("where names have no generation, the standbys are asked", async () => {
    t.diagnostic(await confirmsNothing(cluster));
  });
});

/** The primary goes away while it sends one: what the standbys received is never all replayed. */
async function receiveHalfOfARecord({ primary, standbys }: PostgresCluster): Promise<void> {
  // It sends 128 KiB at a time.
  primary.replication.breakAfter(600_000);
  const record = "pg_logical_emit_message(true, '', repeat('x', 1000000))";
  await primary.query(`SET synchronous_commit = local; SELECT ${record}`);
  const half =
    "SELECT pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn() AS half " +
    "WHERE NOT EXISTS (SELECT 1 FROM pg_stat_wal_receiver)";
  await waitUntil("a standby has half of a record", async () => {
    const found = await Promise.all(standbys.map((standby) => standby.query(half)));
    return found.every((rows) => rows.length === 1) && found.some(([row]) => row?.half === true);
  });
}

/** Which of the other two was promoted, and which follows it. */
async function writtenOf([, next, third]: readonly PostgresNode[]) {
  assert.ok(next !== undefined && third !== undefined);
  const ask = "SELECT pg_is_in_recovery() AS r";
  const written = next.isRunning && (await next.query(ask))[0]?.r === false;
  return written ? { primary: next, node: third } : { primary: third, node: next };
}

/** The old primary was cut off, and has written on alone. */
async function comesBackDiverged({ nodes, urls }: PostgresCluster): Promise<void> {
  const [old] = nodes as [PostgresNode];
  const { primary, node: standby } = await writtenOf(nodes);
  // More than the primary writes afterwards, as positions are compared; in the same segment.
  const alone =
    "SET synchronous_commit = local; CREATE TABLE alone AS SELECT generate_series(1, 60000) AS id";
  await old.query(alone);
  await old.stop();
  old.clients.mend();
  old.replication.mend();
  old.becomeStandby(primary, "n1_g1");
  await old.start();
  await standby.kill();
  const receives =
    "SELECT 1 FROM pg_stat_replication WHERE application_name = 'n1_g1' " +
    "AND flush_lsn IS NOT NULL";
  await waitUntil("it reports", async () => (await primary.query(receives)).length === 1);
  let isConfirmed = false;
  const commit = primary.query("CREATE TABLE confirmed (id integer)").then(() => {
    isConfirmed = true;
  });
  await new Promise((resolve) => setTimeout(resolve, UNCONFIRMED_MS));
  assert.equal(isConfirmed, false, "with generations it confirms nothing");

  const names = "'ANY 1 (n1_g1, n3_g1)'";
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = ${names}`);
  await primary.query("SELECT pg_reload_conf()");
  await commit;
  const found = await old.query("SELECT to_regclass('confirmed') IS NOT NULL AS found");
  assert.deepEqual(found, [{ found: false }], "without them it confirmed what it lacks");
  const opening = await openQuorumJournal({
    ...NODE_PLATFORM,
    urls,
    venueId: VENUE,
    folder: temporaryFolder(),
    fileSystem: NODE_PLATFORM.files,
    giveUpMs: 1000,
  });
  assert.ok(!opening.ok, "a node of Rialto wrote to it");
  assert.match(opening.refusal.message, /counts n1_g1 and n3_g1, and .* generation 2/);
}

const random = seededRandom("a diverged member");

type Confirmed = NonNullable<Awaited<ReturnType<typeof openTo>>["confirmation"]>;

async function openTo(urls: readonly string[], confirm: "async" | "strict") {
  const { files: fileSystem } = NODE_PLATFORM;
  const common = { ...NODE_PLATFORM, urls, venueId: VENUE, folder: temporaryFolder(), fileSystem };
  const opening = await openQuorumJournal({ ...common, confirm, giveUpMs: 3_600_000 });
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  return opening.journal;
}

/** Nobody has the end of the log: nothing shows it, and within a second nothing is told. */
async function closes(
  gate: AnswerGate,
  confirmation: Pick<Confirmed, "lagMs" | "whenConfirmed">,
  primary: PostgresNode,
  appendOne: () => Promise<void>,
): Promise<void> {
  const [end] = await primary.query("SELECT max(ordinal)::int AS ordinal FROM rialto.log");
  let isShown = false;
  confirmation.whenConfirmed(end?.ordinal as number, () => {
    isShown = true;
  });
  for (;;) {
    const lagMs = confirmation.lagMs;
    if (!gate.isOpen) return;
    assert.ok(lagMs <= CONFIRMED_WITHIN_MS && !isShown, "nobody has it, and it is told");
    await appendOne();
  }
}

/** The diverged member counts, as the healthy standby does, which goes away and comes back. */
async function confirmsNothing({ nodes, urls }: PostgresCluster): Promise<string> {
  const [old] = nodes as [PostgresNode];
  const { primary, node: standby } = await writtenOf(nodes);
  const { name } = standby;
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (n1, ${name})'`);
  await primary.query("SELECT pg_reload_conf()");
  standby.becomeStandby(primary, name);
  await standby.start();
  await old.follow(primary, "n1");
  // Its rows had no commands.
  await primary.query(
    "ALTER TABLE rialto.log DISABLE TRIGGER ALL; DELETE FROM rialto.log WHERE ordinal > 0",
  );
  const journal = await openTo(urls, "async");
  const { confirmation } = journal;
  assert.ok(confirmation !== null);
  const gate = new AnswerGate([confirmation], NODE_PLATFORM);
  const tally = { durable: 0, acknowledged: 0, late: 0 };
  const appendOne = async (): Promise<void> => {
    const last = journal.lastSequence;
    assert.equal(await journal.append(last, journal.epoch, randomBatch(random, last)), "durable");
    tally.durable++;
    gate.pass(
      () => tally.acknowledged++,
      () => tally.late++,
    );
  };
  for (let append = 0; append < 10; append++) await appendOne();
  await waitUntil("the standby confirms all of it", async () => tally.acknowledged === 10);

  await standby.kill();
  await appendOne();
  await closes(gate, confirmation, primary, appendOne);
  const within = tally.acknowledged;
  for (let append = 0; append < 20; append++) await appendOne();
  assert.equal(tally.acknowledged, within, "nobody has it, so nobody is told");
  assert.ok(tally.durable - within >= 20, "PostgreSQL alone acknowledged all of it");
  const end = "SELECT max(last_sequence)::int AS last FROM rialto.log";
  const [lacks] = await old.query(end);
  assert.ok((lacks?.last as number) < journal.lastSequence, "and it is not there");

  await standby.start();
  await waitUntil("it goes on", async () => tally.acknowledged === tally.durable);
  assert.equal(tally.late, 0);
  await journal.close();
  gate.close();

  const strict = await openTo(urls, "strict");
  await standby.kill();
  const last = strict.lastSequence;
  let answer = "none";
  const answered = strict.append(last, strict.epoch, randomBatch(random, last)).then((result) => {
    answer = result;
  });
  await waitUntil("PostgreSQL acknowledges it", async () => {
    return (((await primary.query(end))[0]?.last as number) ?? 0) > last;
  });
  assert.equal(answer, "none", "strict: nothing is told that no standby has");
  await standby.start();
  await answered;
  assert.equal(answer, "durable");
  await strict.close();
  const told = within - 10;
  return `${tally.durable} commits acknowledged by PostgreSQL, ${told} told without a standby`;
}
