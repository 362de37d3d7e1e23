/** Webhooks of a cluster: told by whoever leads, operated at any node. */
import assert from "node:assert/strict";
import type { OperatorAnswer } from "../../src/api/operator/routes.ts";
import type { ClusterNodes } from "./cluster-nodes.ts";
import type { ExchangeProcess } from "./exchange-process.ts";
import { registerUser } from "./exchange-setup.ts";
import { waitUntil } from "./wait-until.ts";
import { WebhookReceiver } from "./webhook-receiver.ts";

const API = "/operator/v1";

type Webhook = OperatorAnswer<"getWebhook">;
type Deliveries = OperatorAnswer<"listWebhookDeliveries">;
type Secret = OperatorAnswer<"createWebhook">;

/**
 * The leader is killed while the receiver fails. Its successor tells everything that was not taken,
 * in order, and knows what its predecessor had tried.
 */
export async function webhooksGoOn(cluster: ClusterNodes): Promise<void> {
  const leader = await cluster.leader();
  const others = [...cluster.nodes.keys()].filter((name) => name !== leader);
  const [first, second] = others.map((name) => cluster.node(name)) as [
    ExchangeProcess,
    ExchangeProcess,
  ];
  const receiver = new WebhookReceiver();
  try {
    const uid = await registerUser(first);
    const expected: string[] = [];
    const deposit = async (node: ExchangeProcess) => {
      const id = `told-${expected.length}`;
      const body = { id, account: "spot", asset: "USDT", amount: "1" };
      await node.operator.call("POST", `${API}/users/${uid}/deposits`, body);
      expected.push(id);
    };
    const arrive = () =>
      waitUntil("all have arrived", async () => receiver.taken.length === expected.length);
    const settings = { url: await receiver.listen(), kinds: ["deposits"] };
    const made = await first.operator.call<Secret>("POST", `${API}/webhooks`, settings);
    receiver.secrets.push(made.secret);
    const path = `${API}/webhooks/${made.webhookId}`;
    const tested = await second.operator.call("POST", `${path}/tests`, {});
    assert.partialDeepStrictEqual(tested, { deliveryId: 1, kind: "test", delivered: true });
    for (const node of [first, second, cluster.node(leader)]) await deposit(node);
    await arrive();

    receiver.fails = () => true;
    const before = receiver.requests;
    await deposit(second);
    await waitUntil("it is tried", async () => receiver.requests > before + 1);
    let shown = await first.operator.call<Webhook>("GET", path);
    await waitUntil("every node shows that it fails", async () => {
      shown = await first.operator.call<Webhook>("GET", path);
      return shown.failures > 1;
    });
    const { deliveredNumber, hasSecret, lastError } = shown;
    assert.deepEqual([deliveredNumber, hasSecret, lastError], [3, true, "answered 503"]);
    await cluster.node(leader).kill("SIGKILL");
    const tried = receiver.requests;
    await deposit(first);
    await waitUntil("its successor tries", async () => receiver.requests > tried);
    receiver.fails = () => false;
    await deposit(second);
    await arrive();
    assert.deepEqual(receiver.takenIds, expected);

    await operates({ cluster, first, second, leader, path, receiver, deposit, arrive });
  } finally {
    receiver.close();
  }
}

interface Operated {
  readonly cluster: ClusterNodes;
  readonly first: ExchangeProcess;
  readonly second: ExchangeProcess;
  /** The name of the one that was killed. */
  readonly leader: string;
  readonly path: string;
  readonly receiver: WebhookReceiver;
  readonly deposit: (node: ExchangeProcess) => Promise<void>;
  readonly arrive: () => Promise<void>;
}

/** Its secret, its list of deliveries, a repetition, a pause and its end, each at another node. */
async function operates(operated: Operated): Promise<void> {
  const { arrive, cluster, deposit, first, leader, path, receiver, second } = operated;
  const renewed = await second.operator.call<Secret>("POST", `${path}/secret`, {});
  receiver.secrets.unshift(renewed.secret);
  receiver.secrets.length = 1;
  await deposit(first);
  await arrive();
  await cluster.start(leader);
  const again = await cluster.node(leader).operator.call("POST", `${path}/redeliveries`, {
    number: 2,
  });
  assert.partialDeepStrictEqual(again, { firstNumber: 2, delivered: true });
  const log = await cluster.node(leader).operator.call<Deliveries>("GET", `${path}/deliveries`);
  const ids = log.items.map(({ deliveryId }) => deliveryId);
  assert.deepEqual(
    ids,
    Array.from(ids, (_, index) => ids.length - index),
    "of both leaders, without a gap",
  );
  assert.ok(log.items.filter(({ delivered }) => !delivered).length >= 3);
  await first.operator.call("PATCH", path, { paused: true });
  await deposit(second);
  const paused = await second.operator.call<Webhook>("GET", path);
  assert.deepEqual([paused.paused, paused.deliveredNumber], [true, receiver.taken.length]);
  await second.operator.call("DELETE", path);
  const gone = await first.operator.send("GET", path);
  assert.equal(gone.status, 404, gone.text);
}
