/**
 * Proves that a cluster goes over from another release to this one without a pause, as the page
 * says: the followers one by one, then the lead is given to one of them, then the former leader.
 * Clients trade on all nodes meanwhile; nothing is refused but what waits for a leader, nothing
 * is lost or done twice, and this release replays what the other one led to the same state.
 *
 * The other release is the last one with a tag, or the first commit with the present version of the
 * log: it is taken from the repository's history.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { replayJournal } from "../../src/app/journal-replay.ts";
import type { GetClusterAnswer } from "../../src/client/index.ts";
import { ClusterNodes } from "../support/cluster-nodes.ts";
import { temporaryFolder } from "../support/exchange-process.ts";
import { listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { PostgresCluster } from "../support/postgres-cluster.ts";
import { postgresMissing } from "../support/postgres-programs.ts";
import { seededRandom } from "../support/random.ts";
import { checkRecovered } from "../support/recovery-check.ts";
import { ROOT } from "../support/root.ts";
import { runProgram } from "../support/run-program.ts";
import { SignedClient } from "../support/signed-client.ts";
import { Session } from "../support/trading-session.ts";
import { waitUntil } from "../support/wait-until.ts";

const random = seededRandom("rolling upgrade");
const FIRST_CLUSTER = "35b18696";
const FUNDS = { USDT: "100000", BTC: "3" };
const ACKNOWLEDGED_MIN = 20;
const NAMES = ["n1", "n2", "n3"];

/** Null where there is no history. */
function otherRelease(): string | null {
  const git = (...args: readonly string[]) => {
    const run = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
    return run.status === 0 ? run.stdout.trim() : "";
  };
  const tag = git("describe", "--tags", "--abbrev=0", "HEAD~1");
  if (tag !== "") return tag;
  const known = git("rev-parse", "--verify", "--quiet", `${FIRST_CLUSTER}^{commit}`);
  return known === "" ? null : known;
}

const release = otherRelease();
const skip =
  postgresMissing() || (release === null ? "needs the repository's history of commits" : false);

/** Its sources, with the packages of this one. */
function checkOut(commit: string): string {
  const folder = temporaryFolder();
  const archive = execFileSync("git", ["archive", commit], {
    cwd: ROOT,
    maxBuffer: 256 * 1024 * 1024,
  });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return join(folder, "src/cli/main.ts");
}

test("one release after the other", { skip }, async (t) => {
  const program = checkOut(release as string);
  const postgres = await PostgresCluster.start();
  t.after(() => postgres.stop());
  const nodes = new ClusterNodes(postgres);
  t.after(() => nodes.stop());
  const made = await runProgram(["cluster", "init"], nodes.env, program);
  assert.equal(made.status, 0, made.stderr);
  await Promise.all(NAMES.map((name) => nodes.start(name, undefined, program)));
  await listStandardMarkets(nodes.node(await nodes.leader()));
  const former = await nodes.leader();
  const [first, second] = NAMES.filter((name) => name !== former) as [string, string];
  const done: Session[] = [];
  const during = (work: () => Promise<void>) => tradeDuring(nodes, done, work);

  for (const name of [first, second]) {
    await t.test(`a follower is replaced: ${name}`, () =>
      during(async () => {
        assert.equal((await nodes.node(name).kill("SIGTERM")).code, 0);
        await nodes.start(name);
        await nodes.leader();
      }),
    );
  }
  await t.test("the lead goes to the new release", () =>
    during(async () => {
      const { operator } = nodes.node(second);
      await operator.call("POST", "/operator/v1/cluster/promote", { node: first });
      assert.equal((await nodes.node(former).ended).code, 75);
      assert.equal(await nodes.leader(), first);
    }),
  );
  await t.test("the former leader is replaced", () =>
    during(async () => {
      await nodes.start(former);
      assert.equal(await nodes.leader(), first);
    }),
  );
  await t.test("nothing is lost or twice, and all have one state", () => check(nodes, done));
});

/** One trader at each node, until its node is replaced or the work is done. */
async function tradeDuring(
  nodes: ClusterNodes,
  done: Session[],
  work: () => Promise<void>,
): Promise<void> {
  const leader = nodes.node(await nodes.leader());
  const running = [...nodes.nodes.values()].filter(({ exit }) => exit === null);
  const sessions: Session[] = [];
  for (const { port } of running) {
    const account = await openAccount(leader, FUNDS);
    account.client.close();
    const client = new SignedClient(port, account.credentials);
    sessions.push(new Session({ ...account, client }, `u${done.length + sessions.length}`, random));
  }
  const load = Promise.all(sessions.map((session) => session.tradeUntilGone()));
  await Promise.race([loaded(sessions, sessions.length), load.then(() => whyEnded(nodes))]);
  await work();
  await Promise.race([loaded(sessions, 1), load.then(() => whyEnded(nodes))]);
  for (const session of sessions) session.stop();
  await load;
  done.push(...sessions);
}

/** Rejects with the last words of a node that nobody asked to end. */
async function whyEnded({ nodes }: ClusterNodes): Promise<never> {
  const ends = [...nodes].map(([name, { exit }]) => {
    return exit === null ? "" : `${name} ended with ${exit.code ?? exit.signal}: ${exit.output}`;
  });
  throw new Error(`no trader goes on. ${ends.join("\n")}`);
}

/** So many of them trade. */
async function loaded(sessions: readonly Session[], count: number): Promise<void> {
  const wanted = sessions.map(({ acknowledged }) => acknowledged.length + ACKNOWLEDGED_MIN);
  await waitUntil("there is load", async () => {
    const traded = sessions.filter(({ acknowledged }, index) => {
      return acknowledged.length >= (wanted[index] as number);
    });
    return traded.length >= count;
  });
}

async function check(nodes: ClusterNodes, done: readonly Session[]): Promise<void> {
  const leader = nodes.node(await nodes.leader());
  let orders = 0;
  for (const session of done) {
    const { account } = session;
    account.client.close();
    const client = new SignedClient(leader.port, account.credentials);
    orders += (await checkRecovered(session.on({ ...account, client }), FUNDS)).acknowledged;
    client.close();
  }
  const view = await leader.operator.call<GetClusterAnswer>("GET", "/operator/v1/cluster");
  const [{ rules, version }] = view.nodes as [GetClusterAnswer["nodes"][number]];
  assert.ok(view.nodes.every((row) => row.rules === rules && row.version === version));
  const { sequence, stateHash } = await nodes.commonState();
  for (const [name, { dataFolder }] of nodes.nodes) {
    const journalFolder = join(dataFolder, "journal");
    const replayed = await replayJournal({ journalFolder, throughSequence: sequence });
    assert.equal(replayed.stateHash, stateHash, name);
  }
  console.log(`# from ${release}: ${orders} acknowledged orders found, each once`);
}
