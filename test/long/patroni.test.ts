/**
 * Proves that three nodes over PostgreSQL under Patroni and etcd, configured as the page about
 * clusters prints it, lose nothing and do nothing twice while Patroni replaces a primary whose
 * machine dies, whose process is killed, that is cut off, or that is lost together with the leader;
 * and that a primary which wrote on alone, and comes back rewound by nobody, confirms nothing.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { replayJournal } from "../../src/app/journal-replay.ts";
import { ClusterNodes } from "../support/cluster-nodes.ts";
import { listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { PatroniCluster, type PatroniMember, patroniMissing } from "../support/patroni-cluster.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { checkRecovered, type RecoveryCounts } from "../support/recovery-check.ts";
import { SignedClient } from "../support/signed-client.ts";
import { Session } from "../support/trading-session.ts";
import { waitUntil } from "../support/wait-until.ts";

const random = seededRandom("patroni");
const FUNDS = { USDT: "100000", BTC: "3" };
const LOSSES = ["machine", "postmaster", "partition", "leader-and-machine"] as const;
type Loss = (typeof LOSSES)[number];
const ROUNDS = scaled(LOSSES.length, LOSSES.length);
const ACKNOWLEDGED_MIN = 15;
/** Longer than Patroni needs to notice that a member is gone (`ttl`), and to change who counts. */
const ALONE_MS = 40_000;

interface Cluster {
  readonly postgres: PatroniCluster;
  readonly nodes: ClusterNodes;
}

test("three and three under Patroni", { skip: patroniMissing() }, async (t) => {
  const postgres = await PatroniCluster.start();
  t.after(() => postgres.stop());
  const nodes = new ClusterNodes(postgres);
  t.after(() => nodes.stop());
  const made = await nodes.run("cluster", "init");
  assert.equal(made.status, 0, made.stderr);
  await Promise.all(["n1", "n2", "n3"].map((name) => nodes.start(name)));
  await listStandardMarkets(nodes.node(await nodes.leader()));
  const cluster = { postgres, nodes };
  for (let round = 0; round < ROUNDS; round++) {
    const loss = LOSSES[round % LOSSES.length] as Loss;
    let isDone = false;
    await t.test(`round ${round + 1}: ${loss}`, async (sub) => {
      sub.diagnostic(await lose(cluster, loss, round));
      isDone = true;
    });
    if (!isDone) return;
  }
  await t.test("its members have names of their own", () => showsMembers(cluster));
  await t.test("a diverged member confirms nothing", () => diverge(cluster));
  await t.test("all nodes and a fresh replay have one state", () => sameState(nodes));
});

async function tradersOn(nodes: ClusterNodes, prefix: string): Promise<readonly Session[]> {
  const leader = nodes.node(await nodes.leader());
  return await Promise.all(
    [...nodes.nodes.values()].map(async ({ port }, index) => {
      const account = await openAccount(leader, FUNDS);
      account.client.close();
      const client = new SignedClient(port, account.credentials);
      return new Session({ ...account, client }, `${prefix}-${index}`, random);
    }),
  );
}

function acknowledgedBy(sessions: readonly Session[]): number {
  return sessions.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
}

async function loaded(sessions: readonly Session[]): Promise<void> {
  const wanted = acknowledgedBy(sessions) + sessions.length * ACKNOWLEDGED_MIN;
  await waitUntil("there is load", async () => acknowledgedBy(sessions) >= wanted);
}

async function lose({ nodes, postgres }: Cluster, loss: Loss, round: number): Promise<string> {
  const sessions = await tradersOn(nodes, `r${round}`);
  const load = Promise.all(sessions.map((session) => session.tradeUntilGone()));
  await Promise.race([loaded(sessions), load]);
  const old = await postgres.whole();
  const leader = await nodes.leader();
  const startedMs = performance.now();
  if (loss === "leader-and-machine") await nodes.node(leader).kill("SIGKILL");
  if (loss === "machine" || loss === "leader-and-machine") await old.kill();
  if (loss === "postmaster") old.killPostmaster();
  if (loss === "partition") old.cutOff();
  await waitUntil("Patroni has promoted another one", async () => {
    return (await postgres.primary(old)) !== null;
  });
  const promotedMs = performance.now() - startedMs;
  await Promise.race([loaded(sessions), load]);
  const answeredMs = performance.now() - startedMs;
  for (const session of sessions) session.stop();
  await load;
  if (loss === "leader-and-machine") await nodes.start(leader);
  old.mend();
  if (loss === "machine" || loss === "leader-and-machine") old.start();
  await postgres.whole();
  await follow(nodes);
  const counts = await checkAll(nodes, sessions);
  const sum = (key: keyof RecoveryCounts) => counts.reduce((total, count) => total + count[key], 0);
  return (
    `promoted after ${Math.round(promotedMs)} ms, answers after ${Math.round(answeredMs)} ms; ` +
    `${sum("acknowledged")} acknowledged orders found, ${sum("unknown")} without an answer`
  );
}

/** Every order of these traders is there, once, as the leader tells. */
async function checkAll(
  nodes: ClusterNodes,
  sessions: readonly Session[],
): Promise<readonly RecoveryCounts[]> {
  const { port } = nodes.node(await nodes.leader());
  const counts: RecoveryCounts[] = [];
  for (const session of sessions) {
    const { account } = session;
    account.client.close();
    const again = { ...account, client: new SignedClient(port, account.credentials) };
    counts.push(await checkRecovered(session.on(again), FUNDS));
    again.client.close();
  }
  return counts;
}

async function follow(nodes: ClusterNodes): Promise<void> {
  await waitUntil("all nodes follow", async () => {
    await nodes.startAgain();
    const ready = await nodes.ready();
    return [...ready.values()].every(({ status }) => status === "ready");
  });
}

/** Patroni gives all members one `cluster_name`. */
async function showsMembers({ nodes }: Cluster): Promise<void> {
  const node = nodes.node(await nodes.leader());
  const view = await node.operator.call<{ postgres: { name: string; sync: boolean }[] }>(
    "GET",
    "/operator/v1/cluster",
  );
  assert.equal(new Set(view.postgres.map(({ name }) => name)).size, 3);
}

async function sameState(nodes: ClusterNodes): Promise<void> {
  const { sequence, stateHash } = await nodes.commonState();
  for (const [name, { dataFolder }] of nodes.nodes) {
    const journalFolder = join(dataFolder, "journal");
    const replayed = await replayJournal({ journalFolder, throughSequence: sequence });
    assert.equal(replayed.stateHash, stateHash, name);
  }
}

/**
 * Patroni is gone on the old primary, which writes alone and comes back rewound by nobody; then the
 * healthy standby goes. Patroni lists `*` now, and PostgreSQL takes the flushes of the old one for
 * confirmations.
 */
async function diverge({ nodes, postgres }: Cluster): Promise<void> {
  nodes.flags = ["--confirm", "strict"];
  for (const [name, node] of nodes.nodes) {
    await node.kill("SIGTERM");
    await nodes.start(name);
  }
  const old = await postgres.whole();
  await old.killPatroni();
  old.cutOff();
  let next: PatroniMember | null = null;
  await waitUntil("Patroni has promoted another one", async () => {
    next = await postgres.primary(old);
    return next !== null;
  });
  const primary = next as unknown as PatroniMember;
  await follow(nodes);
  await old.query("SET synchronous_commit = local; CREATE TABLE alone (id integer)");
  old.mend();
  await old.startAsStandbyOf(primary);
  const sessions = await tradersOn(nodes, "diverged");
  const load = Promise.all(sessions.map((session) => session.tradeUntilGone()));
  await Promise.race([loaded(sessions), load]);
  const third = postgres.members.find((each) => each !== old && each !== primary) as PatroniMember;
  await third.kill();
  const before = acknowledgedBy(sessions);
  await sleep(ALONE_MS);
  const extra = acknowledgedBy(sessions) - before;
  const [names] = await primary.query("SHOW synchronous_standby_names");
  for (const session of sessions) session.stop();
  third.start();
  await old.stopPostgres();
  old.start();
  await load;
  await postgres.whole();
  await follow(nodes);
  await checkAll(nodes, sessions);
  assert.equal(names?.synchronous_standby_names, "*", "any standby counted");
  // Of each trader one answer may have been on its way.
  assert.ok(extra <= sessions.length, `${extra} orders were acknowledged by a diverged member`);
}
