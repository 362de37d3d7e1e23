/** From one machine to a cluster and back, with all that goes along. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { OperatorAnswer } from "../../src/api/operator/routes.ts";
import { replayJournal } from "../../src/app/journal-replay.ts";
import { ClusterNodes, OPERATOR_TOKEN } from "./cluster-nodes.ts";
import { type ExchangeOptions, ExchangeProcess, temporaryFolder } from "./exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "./exchange-setup.ts";
import { OpenWithdrawals } from "./open-withdrawals.ts";
import { OperatorClient } from "./operator-client.ts";
import type { PostgresCluster } from "./postgres-cluster.ts";
import { type PlaceOrderBody, SignedClient } from "./signed-client.ts";
import { placeFate } from "./trading-session.ts";
import { waitUntil } from "./wait-until.ts";
import { WebhookReceiver } from "./webhook-receiver.ts";

const FUNDS = { USDT: "100000", BTC: "3" };
const RESTORED = "restored";

type ClusterView = OperatorAnswer<"getCluster">;

export function orderNamed(clientOrderId: string): PlaceOrderBody {
  const limit = { side: "buy", orderType: "limit", force: "normal" } as const;
  return { symbol: "BTCUSDT", ...limit, price: "30000", quantity: "0.001", clientOrderId };
}

export function reconnected(account: Account, port: number): Account {
  account.client.close();
  return { ...account, client: new SignedClient(port, account.credentials) };
}

/** In the same database, after the log there is removed. */
export async function goOnAsCluster(
  postgres: PostgresCluster,
  before: ClusterNodes,
): Promise<void> {
  await before.stop();
  await postgres.primary.query("DROP SCHEMA rialto CASCADE");
  const cluster = new ClusterNodes(postgres, "standard");
  const { RIALTO_POSTGRES: _, ...env } = cluster.env;
  const options = { env, sandbox: false, operatorToken: OPERATOR_TOKEN };
  const alone = await ExchangeProcess.start(options);
  await listStandardMarkets(alone);
  const account = await openAccount(alone, FUNDS);
  const receiver = await toldReceiver(alone);
  const placed = await placeFate(account, orderNamed("alone"));
  const withdrawals = await OpenWithdrawals.request(alone);
  await waitUntil("its deposit is told", async () => receiver.taken.length === 1);
  await alone.kill("SIGTERM");
  const made = await cluster.run("cluster", "init", "--from", alone.dataFolder, "--json");
  assert.equal(made.status, 0, made.stderr);
  const { keys, venue } = JSON.parse(made.stdout);
  assert.equal(keys, 1);
  await assert.rejects(alone.restart(), /belongs to a node of a cluster/);
  await Promise.all([cluster.start("n1", alone.dataFolder), cluster.start("n2")]);
  const leader = cluster.node(await cluster.leader());
  const again = reconnected(account, leader.port);
  assert.deepEqual(await placeFate(again, orderNamed("alone")), placed, "it is the same order");
  const other = await openAccount(leader, { USDT: "1" });
  other.client.close();
  await waitUntil("the next one is told", async () => receiver.taken.length === 2);
  assert.equal(receiver.repeated, 0, "and it alone");
  receiver.close();
  await countsOrdersOnce(cluster, account);
  again.client.close();
  await withdrawals.are(cluster.node("n2"), "requested", "sent");
  await withdrawals.step(cluster.node("n2"), 0, "approved");
  await withdrawals.step(cluster.node("n1"), 1, "done");
  const way = { cluster, folder: temporaryFolder(), venue, withdrawals };
  await copiesWhileItRuns(way);
  await showsNoQuorum(postgres, cluster);
  // Their folders stay.
  await Promise.all([...cluster.nodes.values()].map((node) => node.kill("SIGTERM")));
  const back = await goBackAlone(way, ["n1", "n2"], options);
  const last = reconnected(account, back.port);
  assert.deepEqual(await placeFate(last, orderNamed("alone")), placed, "it is the same order");
  last.client.close();
  await back.stop();
  await postgres.primary.query("DROP SCHEMA rialto CASCADE");
  await goOnFromBackup(way);
}

async function toldReceiver({ operator }: ExchangeProcess): Promise<WebhookReceiver> {
  const receiver = new WebhookReceiver();
  const settings = { url: await receiver.listen(), kinds: ["deposits"] };
  const path = "/operator/v1/webhooks";
  const webhook = await operator.call<{ readonly secret: string }>("POST", path, settings);
  receiver.secrets.push(webhook.secret);
  return receiver;
}

/** A copy of a cluster that goes on is another venue: an export, and a restored backup. */
async function copiesWhileItRuns({ cluster, folder, venue }: WayBack): Promise<void> {
  const { sequence } = await cluster.commonState();
  const copied = await exported(cluster, "n2", join(folder, "copied"));
  assert.match(String(copied.newVenueBecause), /^the cluster goes on: n1, n2 run$/);
  assert.notEqual(copied.venueId, venue);
  const { dataFolder } = cluster.node("n2");
  const saved = await cluster.run("backup", join(folder, "copy"), "--data-dir", dataFolder);
  assert.equal(saved.status, 0, saved.stderr);
  const target = ["--data-dir", join(folder, RESTORED), "--json"];
  const restored = await cluster.run("restore", join(folder, "copy"), ...target);
  assert.equal(restored.status, 0, restored.stderr);
  assert.ok(JSON.parse(restored.stdout).sequence >= sequence, restored.stdout);
}

/** A backup becomes a cluster, in which its withdrawals go on. */
async function goOnFromBackup({ cluster, folder, venue, withdrawals }: WayBack): Promise<void> {
  const restored = join(folder, RESTORED);
  const anew = await cluster.run("cluster", "init", "--from", restored, "--json");
  assert.equal(anew.status, 0, anew.stderr);
  assert.notEqual(JSON.parse(anew.stdout).venue, venue);
  await cluster.start("n3", restored);
  await cluster.leader();
  const node = cluster.node("n3");
  await withdrawals.are(node, "approved", "done");
  await withdrawals.step(node, 0, "sent");
  await cluster.stop();
}

interface Exported {
  readonly sequence: number;
  readonly stateHash: string;
  readonly venueId: string;
  readonly newVenueBecause: string | null;
}

async function exported(cluster: ClusterNodes, name: string, target: string): Promise<Exported> {
  const { dataFolder } = cluster.node(name);
  const run = await cluster.run(
    ...["cluster", "export", "--data-dir", dataFolder],
    ...["--to", target, "--json"],
  );
  assert.equal(run.status, 0, run.stderr);
  return JSON.parse(run.stdout);
}

interface WayBack {
  readonly cluster: ClusterNodes;
  readonly folder: string;
  readonly venue: string;
  readonly withdrawals: OpenWithdrawals;
}

/** The cluster is over: the node that has all of it becomes the same venue on one machine. */
async function goBackAlone(
  { cluster, folder, venue, withdrawals }: WayBack,
  names: readonly string[],
  options: ExchangeOptions,
): Promise<ExchangeProcess> {
  const made = new Map<string, Exported>();
  for (const name of names) made.set(name, await exported(cluster, name, join(folder, name)));
  const whole = [...made].find(([, { newVenueBecause }]) => newVenueBecause === null);
  assert.ok(whole !== undefined, JSON.stringify([...made]));
  for (const { newVenueBecause, venueId } of made.values()) {
    assert.equal(venueId === venue, newVenueBecause === null);
    assert.match(newVenueBecause ?? "", /^$|^the log goes on to sequence/);
  }
  const [name, { sequence, stateHash, venueId }] = whole;
  assert.equal(venueId, venue);
  const journalFolder = join(cluster.node(name).dataFolder, "journal");
  const replayed = await replayJournal({ journalFolder, throughSequence: sequence });
  assert.equal(stateHash, replayed.stateHash);
  const alone = await ExchangeProcess.start(options, join(folder, name));
  try {
    await withdrawals.are(alone, "approved", "done");
    await withdrawals.step(alone, 0, "sent");
    await withdrawals.step(alone, 0, "done");
  } catch (error) {
    await alone.stop();
    throw error;
  }
  return alone;
}

const ORDERS_PER_SECOND = 10;

/** On all nodes at the same time: the limit is that of one exchange. */
async function countsOrdersOnce(cluster: ClusterNodes, { credentials }: Account): Promise<void> {
  const clients = [...cluster.nodes.values()].map(({ port }) => {
    return new SignedClient(port, credentials);
  });
  // What came before is forgotten.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const startedMs = performance.now();
  const statuses = await Promise.all(
    Array.from({ length: 3 * ORDERS_PER_SECOND }, async (_, index) => {
      const client = clients[index % clients.length] as SignedClient;
      return (await client.place(orderNamed(`limited-${index}`))).status;
    }),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  const placed = statuses.filter((status) => status === 200).length;
  assert.ok(
    statuses.every((status) => status === 200 || status === 429),
    statuses.join(),
  );
  assert.ok(placed >= ORDERS_PER_SECOND, `${placed} orders placed`);
  const most = ORDERS_PER_SECOND * (1 + seconds) + 1;
  assert.ok(placed <= most, `${placed} orders placed in ${seconds.toFixed(2)} s`);
  for (const client of clients) client.close();
}

/** Every node still answers what it knows. */
async function showsNoQuorum(postgres: PostgresCluster, cluster: ClusterNodes): Promise<void> {
  const { operator } = cluster.node(await cluster.leader());
  const viewer = { name: "view", role: "viewer" };
  const { token } = await operator.call<{ token: string }>(
    "POST",
    "/operator/v1/operators",
    viewer,
  );
  await cluster.commonState();
  postgres.primary.replication.break();
  for (const [name, node] of cluster.nodes) {
    await waitUntil(
      `${name} sees no quorum`,
      async () => !(await node.operator.call<ClusterView>("GET", "/operator/v1/cluster")).quorum,
    );
    // Who may ask is known here, too.
    const seen = new OperatorClient(node.operatorPort, token);
    const view = await seen.call<ClusterView>("GET", "/operator/v1/cluster");
    seen.close();
    assert.equal(view.leader, null);
    assert.ok(view.postgres.every(({ sync }) => !sync));
    const ready = (await cluster.ready()).get(name);
    assert.match(ready?.reason ?? "", /^(behind|no-quorum)$/);
  }
  postgres.primary.replication.mend();
}
