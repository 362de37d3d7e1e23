/**
 * Proves on PostgreSQL's own programs that a former primary comes back as a standby that counts,
 * after it was rewound or copied anew and not before; and that members are removed and added with a
 * new generation. The npm build has no pg_rewind: this needs a PostgreSQL of the system.
 */
import assert from "node:assert/strict";
import { existsSync, globSync, rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { joinStandby, removeNow } from "../../src/app/cluster/change-members.ts";
import { createQuorumLog, failOver } from "../../src/journal/index.ts";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import { PostgresCluster } from "../support/postgres-cluster.ts";
import type { PostgresNode } from "../support/postgres-node.ts";
import { waitUntil } from "../support/wait-until.ts";

const [PROGRAMS] = globSync("/usr/lib/postgresql/*/bin").toReversed();
const isThere = PROGRAMS !== undefined && existsSync(join(PROGRAMS, "pg_rewind"));
const skip = isThere ? false : "needs pg_rewind and pg_basebackup of a PostgreSQL in /usr/lib";
if (isThere) process.env.RIALTO_TEST_POSTGRES = PROGRAMS;
const VENUE = "00000000-0000-4000-8000-00000000000b";

test("a member is joined, removed and added", { skip }, async (t) => {
  const cluster = await PostgresCluster.start();
  t.after(() => cluster.stop());
  const { urls } = cluster;
  const programs = PROGRAMS as string;
  const created = await createQuorumLog({ ...NODE_PLATFORM, urls, venueId: VENUE });
  assert.ok(created.ok);
  let primary = cluster.primary;
  const failOverNow = () =>
    failOver({ ...NODE_PLATFORM, urls, loseAcknowledged: false, copySequence: null });
  const nodeOf = (name: string) => cluster.nodes.find((node) => node.name === name) as PostgresNode;
  const counts = (name: string) =>
    waitUntil(`${name} counts`, async () => {
      const ask =
        "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND " +
        `sync_state = 'quorum' AND application_name = '${name}'`;
      return (await primary.query(ask)).length === 1;
    });

  for (const how of ["rewound", "copied"] as const) {
    await t.test(`a former primary is ${how}`, async () => {
      const old = primary;
      await old.kill();
      const done = await failOverNow();
      primary = nodeOf(done.primary);
      if (how === "copied") rmSync(old.dataFolder, { recursive: true });
      const request = { urls, name: old.name, pgdata: old.dataFolder, programs };
      const joined = await joinStandby(request);
      assert.deepEqual(joined, { how, generation: done.generation });
      // The settings of the source came along.
      old.becomeStandby(primary, "not-used");
      await old.start();
      await counts(`${old.name}_g${done.generation}`);
    });
  }

  await t.test("a member is removed, in a new generation", async () => {
    const [gone, stays] = cluster.nodes.filter((node) => node !== primary);
    assert.ok(gone !== undefined && stays !== undefined);
    await assert.rejects(removeNow(urls, primary.name), /is the primary: fail over first/);
    const generation = await removeNow(urls, gone.name);
    assert.equal(generation, 4);
    await counts(`${stays.name}_g4`);
    const [names] = await primary.query("SHOW synchronous_standby_names");
    assert.equal(names?.synchronous_standby_names, `ANY 1 (${stays.name}_g4)`);
  });
});
