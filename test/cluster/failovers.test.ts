/**
 * Proves that three nodes over three of PostgreSQL lose nothing, do nothing twice and end in one
 * state, whatever dies under the load of real HTTP clients: the leader, the primary of PostgreSQL,
 * a standby, both leaders together, or a leader that is only paused. After each round everything
 * comes back: nodes follow, databases as new copies.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { replayJournal } from "../../src/app/journal-replay.ts";
import { DemoCluster } from "../support/cluster-demo.ts";
import { listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import type { OperatorClient } from "../support/operator-client.ts";
import { postgresMissing } from "../support/postgres-programs.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { checkRecovered } from "../support/recovery-check.ts";
import { SignedClient } from "../support/signed-client.ts";
import { Session } from "../support/trading-session.ts";
import { waitUntil } from "../support/wait-until.ts";

const random = seededRandom("cluster failovers");
const ROUNDS = scaled(6, 60);
const TRADERS = 3;
const FUNDS = { USDT: "100000", BTC: "3" };
const ACKNOWLEDGED_MIN = 20;

const KINDS = ["leader", "primary", "both", "paused-leader", "standby", "primary"] as const;
type Kind = (typeof KINDS)[number];

test("three and three", { skip: postgresMissing() }, async (t) => {
  const demo = await DemoCluster.start(["--profile", "empty"]);
  t.after(() => demo.stop());
  await withNode(demo, await demo.leader(), listStandardMarkets);
  const tally = { acknowledged: 0, unknown: 0, unknownApplied: 0 };
  const stallsMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const kind = KINDS[round % KINDS.length] as Kind;
    await t.test(`round ${round + 1}: ${kind}`, async () => {
      const { counts, stallMs } = await lose(demo, kind, round);
      stallsMs.push(stallMs);
      for (const count of counts) {
        tally.acknowledged += count.acknowledged;
        tally.unknown += count.unknown;
        tally.unknownApplied += count.unknownApplied;
      }
    });
  }
  await t.test("all nodes and a fresh replay have one state", () => sameState(demo));
  const { generation, epoch } = await demo.view(await demo.leader());
  t.diagnostic(
    `${ROUNDS} failovers, ${tally.acknowledged} acknowledged orders found, ` +
      `${tally.unknown} without an answer of which ${tally.unknownApplied} had been applied; ` +
      `until the next answer ` +
      `${describe(stallsMs)}; generation ${generation}, epoch ${epoch}`,
  );
});

/** What can be done with an exchange, through one of the nodes. */
async function withNode<Value>(
  demo: DemoCluster,
  name: string,
  work: (exchange: { readonly operator: OperatorClient; readonly port: number }) => Promise<Value>,
): Promise<Value> {
  const { port } = demo.node(name);
  return await demo.operator(name, (operator) => work({ operator, port }));
}

async function lose(demo: DemoCluster, kind: Kind, round: number) {
  const leader = await demo.leader();
  const primary = await demo.primary();
  const standby = demo.ready.postgres.map(({ name }) => name).find((name) => name !== primary);
  const sessions: Session[] = [];
  for (let trader = 0; trader < TRADERS; trader++) {
    const account = await withNode(demo, leader, (node) => openAccount(node, FUNDS));
    sessions.push(new Session(account, `r${round}-${trader}`, random));
  }
  const load = Promise.all(sessions.map((session) => session.tradeUntilGone()));
  await loaded(sessions);
  const killed: string[] = [];
  if (kind === "leader" || kind === "both") killed.push(leader);
  if (kind === "primary" || kind === "both") killed.push(primary);
  if (kind === "standby") killed.push(standby as string);
  for (const name of random.chance(0.5) ? killed : killed.toReversed())
    demo.signal(name, "SIGKILL");
  const startedMs = performance.now();
  if (kind === "paused-leader") demo.signal(leader, "SIGSTOP");
  const isReplaced = kind !== "primary" && kind !== "standby";
  const next = await demo.leader(isReplaced ? leader : "");
  const probe = await withNode(demo, next, (node) => openAccount(node));
  const stallMs = performance.now() - startedMs;
  probe.client.close();
  if (kind === "paused-leader") demo.signal(leader, "SIGCONT");
  if (!isReplaced) await loaded(sessions);
  for (const session of sessions) session.stop();
  await load;
  const counts = [];
  const { port } = demo.node(await demo.leader());
  for (const session of sessions) {
    const { account } = session;
    account.client.close();
    const again = { ...account, client: new SignedClient(port, account.credentials) };
    counts.push(await checkRecovered(session.on(again), FUNDS));
    again.client.close();
  }
  const asked = await demo.leader();
  for (const name of killed) await demo.revive(name, asked);
  await demo.whole();
  return { counts, stallMs };
}

/** Each session has a number of acknowledged orders more than now. */
async function loaded(sessions: readonly Session[]): Promise<void> {
  const more = ACKNOWLEDGED_MIN + random.integer(0, 10);
  const wanted = sessions.map(({ acknowledged }) => acknowledged.length + more);
  await waitUntil("there is load", async () =>
    sessions.every(({ acknowledged }, index) => acknowledged.length >= (wanted[index] as number)),
  );
}

async function sameState(demo: DemoCluster): Promise<void> {
  const names = demo.ready.nodes.map(({ node }) => node);
  const statesOf = () =>
    Promise.all(names.map((name) => withNode(demo, name, ({ operator }) => operator.invariants())));
  let states = await statesOf();
  await waitUntil("all nodes are at the same command", async () => {
    states = await statesOf();
    return states.every(({ sequence }) => sequence === states[0]?.sequence);
  });
  const [{ sequence, stateHash }] = states as [(typeof states)[number]];
  for (const [index, state] of states.entries()) {
    assert.deepEqual([state.ok, state.stateHash], [true, stateHash], `${names[index]}`);
  }
  const journalFolder = join(demo.dataFolder, "n2", "journal");
  const replayed = await replayJournal({ journalFolder, throughSequence: sequence });
  assert.equal(replayed.stateHash, stateHash);
}

function describe(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return `min/median/max ${at(0)}/${at(0.5)}/${at(1)} ms`;
}
