/**
 * Proves that `rialto cluster demo` is what it says: a whole cluster from one command, whose nodes
 * and databases may be killed and come back, whose leader is handed over on request, and of which
 * nothing is left when it is stopped, or killed itself.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import test from "node:test";
import { promisify } from "node:util";
import type { NodeEntry } from "../../src/cli/demo/cluster-demo.ts";
import type { GetClusterAnswer } from "../../src/client/index.ts";
import { DemoCluster, isRunning } from "../support/cluster-demo.ts";
import { HttpConnection } from "../support/http-exchange.ts";
import { postgresMissing } from "../support/postgres-programs.ts";
import { SignedClient } from "../support/signed-client.ts";
import { lacking } from "../support/tools.ts";
import { waitUntil } from "../support/wait-until.ts";

const run = promisify(execFile);
const STOP_MAX_MS = 20_000;

test("a demo of a cluster", { skip: postgresMissing() }, async (t) => {
  const demo = await DemoCluster.start();
  const demos = [demo];
  t.after(() => Promise.all(demos.map((each) => each.stop())));

  await t.test("is whole when it is ready, with a market that trades", () => isWhole(demo));
  await t.test("prints commands that work", { skip: lacking("curl") }, () => printsCommands(demo));
  await t.test("fails PostgreSQL over, and takes the old primary back", () => failsOver(demo));
  await t.test("has another leader when one is killed", () => losesLeader(demo));
  await t.test("gives the lead to a node on request", () => promotes(demo));
  await t.test("shows its nodes without a quorum, too", () => showsWithoutQuorum(demo));
  await t.test("ends with all its processes, and goes on where it was", async () => {
    demos.push(await restarts(demo));
  });
  await t.test("ends at once when it is asked to while it starts", async () => {
    assert.deepEqual(await DemoCluster.stopAtStart(), { code: 0, signal: null });
  });
  await t.test("leaves nothing behind when it is killed itself", async () => {
    const [, again] = demos;
    assert.ok(again !== undefined, "it runs again");
    await isKilled(again);
  });
});

async function isWhole(demo: DemoCluster): Promise<void> {
  const { ready } = demo;
  assert.deepEqual(Object.keys(ready), ["event", "nodes", "postgres", "demo", "operatorToken"]);
  assert.deepEqual(
    ready.nodes.map(({ node }) => node),
    ["n1", "n2", "n3"],
  );
  assert.equal(ready.nodes.filter(({ role }) => role === "leader").length, 1);
  const roles = ready.postgres.map(({ name, role }) => `${name} ${role}`);
  assert.deepEqual(roles, ["p1 primary", "p2 standby", "p3 standby"]);
  const [account] = ready.demo;
  assert.ok(account !== undefined);
  const client = new SignedClient(demo.node(await demo.leader()).port, account);
  const funds = await client.get("/api/v3/account");
  assert.equal(funds.status, 200, funds.text);
  client.close();
  for (const { port } of ready.nodes) {
    const { demoAccounts } = JSON.parse(await textOf(port, "/console/venue"));
    assert.deepEqual(demoAccounts, ready.demo, "a page of any node signs in with one press");
  }
  // The traders are on the leader, and every node shows what they do.
  const lastTrades = (): Promise<readonly string[]> =>
    Promise.all(ready.nodes.map(({ port }) => lastTrade(port)));
  const before = await lastTrades();
  await waitUntil("every node has a new trade", async () => {
    return (await lastTrades()).every((id, index) => id !== before[index]);
  });
}

/** All that are no `kill`, in their order. */
async function printsCommands(demo: DemoCluster): Promise<void> {
  await waitUntil("it has said what to try", async () => demo.output.includes("Ctrl-C"));
  const printed = demo.output.match(/curl (?:.*\\\n)*.*/g) ?? [];
  assert.equal(printed.length, 3);
  const answers: unknown[] = [];
  for (const command of printed) {
    const { stdout } = await run("sh", ["-c", command]);
    answers.push(JSON.parse(stdout));
    await demo.whole();
  }
  const [promoted, started, view] = answers;
  const { leader } = promoted as { leader: string };
  assert.equal((view as GetClusterAnswer).leader, leader);
  assert.notEqual(demo.node(leader).role, "leader");
  assert.equal(demo.node((started as NodeEntry).node).role, "leader", "it is that which led first");
}

function lastTrade(port: number): Promise<string> {
  return textOf(port, "/api/v3/market/trades?symbol=BTCUSDT&limit=1");
}

async function textOf(port: number, path: string): Promise<string> {
  const connection = new HttpConnection(port);
  const answer = await connection.send({ method: "GET", path });
  connection.close();
  assert.equal(answer.status, 200, answer.text);
  return answer.text;
}

async function failsOver(demo: DemoCluster): Promise<void> {
  const before = await demo.view("n2");
  assert.deepEqual([before.generation, before.quorum], [1, true]);
  // Standbys that do not answer now are asked again.
  for (const standby of ["p2", "p3"]) demo.signal(standby, "SIGSTOP");
  demo.signal("p1", "SIGKILL");
  await waitUntil("a failover was tried", async () => demo.output.includes("no failover yet"));
  for (const standby of ["p2", "p3"]) demo.signal(standby, "SIGCONT");
  await waitUntil("another PostgreSQL is written", async () => {
    const { generation, postgres } = await demo.view("n2");
    const counts = postgres.filter(({ sync }) => sync).length;
    return generation === 2 && counts === 2;
  });
  const { postgres } = await demo.view("n2");
  assert.deepEqual(
    postgres.map(({ name }) => name),
    ["p1", "p2", "p3"],
  );
  assert.deepEqual([postgres[0]?.role, postgres[0]?.sync], ["down", false]);
  const old = demo.ready.postgres[0];
  const entry = await demo.revive("p1", "n3");
  assert.deepEqual({ ...entry, pid: 0 }, { ...old, pid: 0, role: "standby" });
  assert.notEqual(entry.pid, old?.pid);
  await demo.whole();
  const again = await demo.revive("p1", "n1");
  assert.deepEqual(again, entry, "it runs already");
  const refused = await demo.operator("n1", (operator) =>
    operator.send("POST", "/operator/v1/cluster/demo/start", { name: "p9" }),
  );
  assert.equal(refused.status, 404, refused.text);
  assert.match(refused.text, /n1, n2, n3, p1, p2, p3/);
}

async function losesLeader(demo: DemoCluster): Promise<void> {
  const old = await demo.leader();
  demo.signal(old, "SIGKILL");
  const leader = await demo.leader(old);
  const rowOf = ({ nodes }: GetClusterAnswer) => nodes.find(({ node }) => node === old);
  await waitUntil(`${old} is shown as down`, async () => {
    return rowOf(await demo.view(leader))?.role === "down";
  });
  const entry = await demo.revive(old, leader);
  const { pid, ...same } = demo.node(old);
  assert.deepEqual(entry, { ...same, pid: entry.pid, role: entry.role });
  assert.notEqual(entry.pid, pid);
  await demo.whole();
}

async function promotes(demo: DemoCluster): Promise<void> {
  const old = await demo.leader();
  const [target, asked] = demo.ready.nodes.map(({ node }) => node).filter((node) => node !== old);
  assert.ok(target !== undefined && asked !== undefined);
  const path = "/operator/v1/cluster/promote";
  const { epoch } = await demo.view(asked);
  for (const [from, to] of [
    [asked, target],
    // The leader itself hands over, and still answers.
    [target, old],
  ] as const) {
    const startedMs = performance.now();
    const answer = await demo.operator(from, (operator) =>
      operator.send("POST", path, { node: to }),
    );
    assert.equal(answer.status, 200, answer.text);
    console.log(`# promoted in ${Math.round(performance.now() - startedMs)} ms`);
    assert.equal(await demo.leader(), to);
    await demo.whole();
  }
  assert.equal((await demo.view(asked)).epoch, epoch + 2);
  const unknown = await demo.operator(asked, (operator) =>
    operator.send("POST", path, { node: "n9" }),
  );
  assert.equal(unknown.status, 404, unknown.text);
}

async function showsWithoutQuorum(demo: DemoCluster): Promise<void> {
  const primary = await demo.primary();
  const standbys = demo.ready.postgres.map(({ name }) => name).filter((name) => name !== primary);
  for (const name of standbys) demo.signal(name, "SIGKILL");
  for (const { node } of demo.ready.nodes) {
    await waitUntil(`${node} sees no quorum`, async () => !(await demo.view(node)).quorum);
    const startedMs = performance.now();
    const view = await demo.view(node);
    const tookMs = performance.now() - startedMs;
    assert.ok(tookMs < 2000, `${node} answered after ${tookMs} ms`);
    assert.deepEqual([view.quorum, view.leader, view.nodes.length], [false, null, 3]);
    const down = view.postgres.filter(({ role }) => role === "down").map(({ name }) => name);
    assert.deepEqual(down, standbys);
  }
  for (const name of standbys) await demo.revive(name, "n2");
  await demo.leader();
  await demo.whole();
}

async function restarts(demo: DemoCluster): Promise<DemoCluster> {
  const pids = [...demo.pids, demo.pid];
  const { generation } = await demo.view("n1");
  const startedMs = performance.now();
  const end = await demo.end("SIGTERM");
  assert.deepEqual(end, { code: 0, signal: null }, demo.output);
  assert.deepEqual(pids.filter(isRunning), []);
  const tookMs = performance.now() - startedMs;
  assert.ok(tookMs < STOP_MAX_MS, `it took ${tookMs} ms`);
  const again = await DemoCluster.start([], demo.dataFolder);
  assert.deepEqual(again.ready.demo, demo.ready.demo);
  assert.equal((await again.view("n1")).generation, generation);
  return again;
}

async function isKilled(demo: DemoCluster): Promise<void> {
  await demo.end("SIGKILL");
  await waitUntil("all children are gone", async () => !demo.pids.some(isRunning));
}
