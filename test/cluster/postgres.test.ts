/**
 * Proves what the quorum journal expects of PostgreSQL, and what it must not trust, on three real
 * nodes: a cancelled wait for the quorum looks like success; a failover keeps every acknowledged
 * commit; a diverged node that comes back uncopied acknowledges what it does not have, unless the
 * names of the members have a generation.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Client } from "pg";
import { PostgresCluster } from "../support/postgres-cluster.ts";
import type { PostgresNode } from "../support/postgres-node.ts";
import { postgresMissing } from "../support/postgres-programs.ts";
import { waitUntil } from "../support/wait-until.ts";

test("three nodes", { skip: postgresMissing() }, async (t) => {
  const cluster = await PostgresCluster.start();
  t.after(() => cluster.stop());
  await cluster.primary.query("CREATE TABLE commits (id integer PRIMARY KEY, bytes bytea)");

  await t.test("a cancelled wait for the quorum is answered as success, with a warning", () =>
    cancelledWaitLooksLikeSuccess(cluster),
  );
  await t.test("a failover keeps every acknowledged commit", () => failoverKeeps(cluster));
  await t.test("a diverged node counts under its present name, not under an old one", () =>
    divergedNodeCounts(cluster),
  );
});

let ids = 0;

const INSERT = "INSERT INTO commits VALUES ($1, $2)";

async function commitOn(node: PostgresNode): Promise<number> {
  const id = ++ids;
  await node.query(INSERT, [id, null]);
  return id;
}

async function has(node: PostgresNode, id: number): Promise<boolean> {
  return (await node.query("SELECT 1 FROM commits WHERE id = $1", [id])).length > 0;
}

async function waitsForQuorum(node: PostgresNode): Promise<readonly number[]> {
  const rows = await node.query("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
  return rows.map(({ pid }) => pid as number);
}

async function cancelledWaitLooksLikeSuccess({ primary, standbys }: PostgresCluster) {
  // One of them is enough for the commit of the table.
  for (const standby of standbys) {
    await waitUntil(`${standby.name} has the table`, async () => {
      const [row] = await standby.query("SELECT to_regclass('commits') AS found");
      return row?.found !== null;
    });
  }
  primary.replication.break();
  try {
    await cancelWait(primary, standbys);
  } finally {
    primary.replication.mend();
  }
}

async function cancelWait(primary: PostgresNode, standbys: readonly PostgresNode[]): Promise<void> {
  const url = `postgresql://rialto@127.0.0.1:${primary.clients.port}/postgres`;
  const client = new Client({ connectionString: url });
  const notices: string[] = [];
  client.on("notice", ({ code, message }) => notices.push(`${code} ${message}`));
  await client.connect();
  const commit = client.query(INSERT, [++ids, null]);
  await waitUntil("the commit waits", async () => (await waitsForQuorum(primary)).length === 1);
  const [pid] = await waitsForQuorum(primary);
  await primary.query("SELECT pg_cancel_backend($1)", [pid]);
  assert.equal((await commit).rowCount, 1, "it looks like success");
  assert.match(notices.join(), /^01000 canceling wait for synchronous replication/);
  for (const standby of standbys) assert.equal(await has(standby, ids), false);
  await client.end();
}

async function failoverKeeps(cluster: PostgresCluster): Promise<void> {
  const old = cluster.primary;
  const acknowledged: number[] = [];
  for (let count = 0; count < 20; count++) acknowledged.push(await commitOn(old));
  await old.kill();
  await cluster.failOver();
  for (const id of acknowledged) assert.ok(await has(cluster.primary, id));
}

/** The old primary writes on alone, and comes back as a standby that nobody copied. */
async function divergedNodeCounts(cluster: PostgresCluster): Promise<void> {
  const old = cluster.primary;
  const oldName = cluster.memberName(old);
  const standby = cluster.standbys.find(({ isRunning }) => isRunning) as PostgresNode;
  // They part inside a segment of the log; at its very begin the node would report nothing.
  const last = await commitOn(old);
  await waitUntil("both have it", () => has(standby, last));
  await standby.leave();
  const alone = "SELECT i, NULL FROM generate_series(1000001, 1020000) AS i";
  await old.query(`SET synchronous_commit = local; INSERT INTO commits ${alone}`);
  await cluster.failOver();
  assert.equal(cluster.primary, standby);
  await old.stop();
  old.becomeStandby(standby, oldName);
  await old.start();
  const id = ++ids;
  let isAcknowledged = false;
  const commit = standby.query(INSERT, [id, null]).then(() => {
    isAcknowledged = true;
  });
  // Until it reports, it is `async` under any name.
  const member =
    "SELECT 1 FROM pg_stat_replication WHERE application_name = $1 " +
    "AND flush_lsn IS NOT NULL AND sync_state = 'async'";
  await waitUntil(`${oldName} reports and the commit waits`, async () => {
    const isConnected = (await standby.query(member, [oldName])).length > 0;
    return isConnected && (await waitsForQuorum(standby)).length > 0;
  });
  assert.ok(!isAcknowledged, "with generations it acknowledges nothing");
  await standby.configure({ synchronous_standby_names: `ANY 1 (${oldName})` });
  await commit;
  assert.equal(await has(old, id), false, "without them it acknowledges what it lacks");
}
