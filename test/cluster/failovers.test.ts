/**
 * Proves that three nodes over three of PostgreSQL lose nothing, do nothing twice and end in one
 * state and one history, whatever is lost under the load of real HTTP clients: the leader, killed
 * or paused; the primary's machine, its first process or its network; a standby; leader and
 * primary together. A signed read always sees what another node acknowledged. In the long run
 * there are ten times as many, on the system's PostgreSQL where it can rewind, and one former
 * primary comes back with a history of its own.
 */
import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { replayJournal } from "../../src/app/journal-replay.ts";
import type { ClusterNodes } from "../support/cluster-nodes.ts";
import type { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, openAccount } from "../support/exchange-setup.ts";
import { FailingCluster, type Loss } from "../support/failing-cluster.ts";
import { postgresMissing } from "../support/postgres-programs.ts";
import { isLongRun, scaled, seededRandom } from "../support/random.ts";
import { checkRecovered } from "../support/recovery-check.ts";
import { SignedClient } from "../support/signed-client.ts";
import { Session, SYMBOL } from "../support/trading-session.ts";
import { waitUntil } from "../support/wait-until.ts";

const random = seededRandom("cluster failovers");
const ROUNDS = scaled(6, 60);
const FUNDS = { USDT: "100000", BTC: "3" };
const ACKNOWLEDGED_MIN = 15;

const LOSSES: readonly Loss[] = [
  { name: "the leader is killed", leader: "killed" },
  { name: "the primary's machine dies", postgres: "machine" },
  { name: "the leader and the primary's machine", leader: "killed", postgres: "machine" },
  { name: "the leader is paused", leader: "paused" },
  { name: "the primary is cut off", postgres: "partition" },
  {
    name: "the leader, paused, and the primary's process",
    leader: "paused",
    postgres: "postmaster",
  },
  { name: "the primary's process is killed", postgres: "postmaster" },
  { name: "the leader is killed, the primary cut off", leader: "killed", postgres: "partition" },
  { name: "a standby dies", postgres: "standby" },
  { name: "the leader, paused, and the primary's machine", leader: "paused", postgres: "machine" },
];
const DIVERGED: Loss = { name: "the primary writes on alone", postgres: "diverged" };
const DIVERGED_ROUND = 4;

if (isLongRun()) takeSystemPostgres();

function takeSystemPostgres(): void {
  const [programs = ""] = globSync("/usr/lib/postgresql/*/bin").toReversed();
  if (existsSync(join(programs, "pg_rewind"))) process.env.RIALTO_TEST_POSTGRES ??= programs;
}

function lossOf(round: number): Loss {
  if (isLongRun() && round === DIVERGED_ROUND) return DIVERGED;
  return LOSSES[round % LOSSES.length] as Loss;
}

test("three and three", { skip: postgresMissing() }, async (t) => {
  const cluster = await FailingCluster.start();
  t.after(() => cluster.stop());
  const tally = { acknowledged: 0, unknown: 0, unknownApplied: 0, readElsewhere: 0 };
  const stallsMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const loss = lossOf(round);
    let isDone = false;
    await t.test(`round ${round + 1}: ${loss.name}`, async () => {
      const { counts, readElsewhere, stallMs } = await lose(cluster, loss, round);
      stallsMs.push(stallMs);
      tally.readElsewhere += readElsewhere;
      for (const count of counts) {
        tally.acknowledged += count.acknowledged;
        tally.unknown += count.unknown;
        tally.unknownApplied += count.unknownApplied;
      }
      isDone = true;
    });
    // What was lost is not back.
    if (!isDone) return;
  }
  await t.test("all nodes and a fresh replay of each have one state", () =>
    sameState(cluster.nodes),
  );
  await t.test("all nodes have one history", () => sameHistory(cluster.nodes));
  t.diagnostic(
    `${ROUNDS} losses, ${tally.acknowledged} acknowledged orders found, ` +
      `${tally.unknown} without an answer of which ${tally.unknownApplied} had been applied; ` +
      `${tally.readElsewhere} orders seen at once on another node; ` +
      `slowest answers at nodes that stayed ${describe(stallsMs)}`,
  );
});

async function lose(cluster: FailingCluster, loss: Loss, round: number) {
  const { nodes } = cluster;
  const leader = await nodes.leader();
  // At all nodes: who follows must serve on, whoever is lost.
  const names = [leader, ...[...nodes.nodes.keys()].filter((name) => name !== leader)];
  const sessions = await Promise.all(
    names.map(async (name, index) => {
      const account = await openAccount(nodes.node(leader), FUNDS);
      const client = new SignedClient(nodes.node(name).port, account.credentials);
      account.client.close();
      return new Session({ ...account, client }, `r${round}-${index}`, random);
    }),
  );
  const staying = sessions.slice(1);
  const reader = await CrossReader.open(nodes, leader);
  const load = Promise.all([reader.run(), ...sessions.map((session) => session.tradeUntilGone())]);
  await Promise.race([loaded(sessions), load]);
  const [away] = await Promise.all([
    cluster.losePostgres(loss.postgres, leader),
    cluster.loseLeader(leader, loss.leader),
  ]);
  await Promise.race([loaded(staying), load]);
  await nodes.leader(loss.leader === undefined ? "" : leader);
  if (loss.postgres === "diverged" && away !== null) {
    const acknowledged = () =>
      sessions.reduce((sum, session) => sum + session.acknowledged.length, 0);
    await cluster.comeBackDiverged(away, acknowledged);
    await Promise.race([loaded(staying), load]);
  }
  for (const session of sessions) session.stop();
  reader.stop();
  if (loss.leader === "paused") await cluster.endLeader(leader, loss.leader);
  await load;
  if (loss.leader === "killed") await cluster.endLeader(leader, loss.leader);
  await cluster.comeBack(away, round % 2 === 0 ? "rewound" : "copied");
  const counts = [];
  const { port } = nodes.node(await nodes.leader());
  for (const session of sessions) {
    const { account } = session;
    account.client.close();
    const again = { ...account, client: new SignedClient(port, account.credentials) };
    counts.push(await checkRecovered(session.on(again), FUNDS));
    again.client.close();
  }
  return { counts, readElsewhere: reader.seen, stallMs: reader.slowestMs };
}

/** Each session has a number of acknowledged orders more than now. */
async function loaded(sessions: readonly Session[]): Promise<void> {
  const more = ACKNOWLEDGED_MIN + random.integer(0, 10);
  const wanted = sessions.map(({ acknowledged }) => acknowledged.length + more);
  await waitUntil("there is load", async () =>
    sessions.every(({ acknowledged }, index) => acknowledged.length >= (wanted[index] as number)),
  );
}

/** Places at one node that follows, and must see it at another one at once; and the cancel, too. */
class CrossReader {
  seen = 0;
  slowestMs = 0;
  readonly #clients: readonly SignedClient[];
  #isStopping = false;

  private constructor(clients: readonly SignedClient[]) {
    this.#clients = clients;
  }

  static async open(nodes: ClusterNodes, leader: string): Promise<CrossReader> {
    const account: Account = await openAccount(nodes.node(leader), FUNDS);
    account.client.close();
    const followers = [...nodes.nodes].filter(([name]) => name !== leader);
    return new CrossReader(
      followers.map(([, { port }]) => new SignedClient(port, account.credentials)),
    );
  }

  stop(): void {
    this.#isStopping = true;
  }

  async run(): Promise<void> {
    while (!this.#isStopping) {
      const [one, other] = random.shuffle([...this.#clients]) as [SignedClient, SignedClient];
      const startedMs = performance.now();
      const orderId = await one.placed({
        ...{ symbol: SYMBOL, side: "buy", orderType: "limit", force: "normal" },
        ...{ price: "20000", quantity: "0.001", clientOrderId: `read-${this.seen}` },
      });
      assert.deepEqual(await openAt(other), [orderId], "a node does not see what is acknowledged");
      await other.cancelled({ symbol: SYMBOL, orderId: String(orderId) });
      assert.deepEqual(await openAt(one), [], "a node does not see a cancel");
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedMs);
      this.seen++;
    }
    for (const client of this.#clients) client.close();
  }
}

async function openAt(client: SignedClient): Promise<readonly number[]> {
  const rows = await client.v3<{ orderId: number }[]>("/api/v3/openOrders", { symbol: SYMBOL });
  return rows.map(({ orderId }) => orderId);
}

async function sameState(nodes: ClusterNodes): Promise<void> {
  const { sequence, stateHash } = await nodes.commonState();
  for (const [name, { dataFolder }] of nodes.nodes) {
    const journalFolder = join(dataFolder, "journal");
    const replayed = await replayJournal({ journalFolder, throughSequence: sequence });
    assert.equal(replayed.stateHash, stateHash, name);
  }
}

/** Every table, row by row. */
async function sameHistory(nodes: ClusterNodes): Promise<void> {
  const all = [...nodes.nodes.values()];
  const { sequence } = await nodes.commonState();
  const appliedBy = (node: ExchangeProcess) => {
    const [row] = readHistory(node, "SELECT applied_sequence AS applied FROM progress");
    return Number(row?.applied);
  };
  await waitUntil("all histories are written", async () =>
    all.every((node) => appliedBy(node) >= sequence),
  );
  const [first, ...others] = all.map(dump) as [object, ...object[]];
  assert.ok(Object.keys(first).length > 10, "there are tables");
  for (const other of others) assert.deepEqual(other, first);
}

function dump(node: ExchangeProcess) {
  const names = readHistory(
    node,
    "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
  );
  return Object.fromEntries(
    names.map(({ name }) => [name, readHistory(node, `SELECT * FROM ${name}`)]),
  );
}

function readHistory({ dataFolder }: ExchangeProcess, query: string) {
  const [file = ""] = globSync("history-v*.db", { cwd: dataFolder });
  const database = new DatabaseSync(join(dataFolder, file), { readOnly: true });
  try {
    return database.prepare(query).all();
  } finally {
    database.close();
  }
}

function describe(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return `min/median/max ${at(0)}/${at(0.5)}/${at(1)} ms`;
}
