/**
 * Proves how the process starts and stops: SIGTERM under load exits with 0, keeps everything
 * acknowledged and leaves a snapshot; a data folder belongs to one process at a time; a sandbox
 * folder needs `--sandbox` again; unusable settings or folders are rejected with instructions; the
 * ready line is the only thing on standard output.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ExchangeProcess, StartRefused, temporaryFolder } from "../support/exchange-process.ts";
import {
  BTCUSDT,
  listMarket,
  listStandardMarkets,
  openAccount,
} from "../support/exchange-setup.ts";
import { PROGRAM } from "../support/program.ts";
import { Random, seededRandom } from "../support/random.ts";
import { checkRecovered, type Funds } from "../support/recovery-check.ts";
import { SignedClient } from "../support/signed-client.ts";
import { Session } from "../support/trading-session.ts";

const FUNDS: Funds = { USDT: "100000", BTC: "3" };
const random = seededRandom("crash/lifecycle");

interface SnapshotPage {
  readonly items: readonly { readonly sequence: number }[];
}

test("SIGTERM under load: exit 0, a snapshot, nothing lost", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const sessions: Session[] = [];
  for (let i = 0; i < 4; i++) {
    const account = await openAccount(exchange, { ...FUNDS });
    sessions.push(new Session(account, `term-${i}`, new Random(random.integer(0, 2 ** 31))));
  }
  const load = Promise.all(sessions.map((session) => session.tradeUntilGone()));
  // A load, on however slow a machine.
  while (sessions.some(({ acknowledged }) => acknowledged.length < 20)) await sleep(50);
  const { sequence } = await exchange.operator.invariants();
  const exit = await exchange.kill("SIGTERM");
  assert.deepEqual(
    { code: exit.code, signal: exit.signal },
    { code: 0, signal: null },
    exit.output,
  );
  await load;

  await exchange.restart();
  const { items } = await exchange.operator.call<SnapshotPage>("GET", "/operator/v1/snapshots");
  const newest = Math.max(...items.map((snapshot) => snapshot.sequence));
  assert.ok(newest >= sequence, `the newest snapshot is of ${newest}, before ${sequence}`);
  for (const session of sessions) {
    const { account } = session;
    account.client.close();
    const client = new SignedClient(exchange.port, account.credentials);
    const counts = await checkRecovered(session.on({ ...account, client }), FUNDS);
    assert.ok(counts.acknowledged > 5, `${counts.acknowledged} orders`);
    client.close();
  }
  const { ok, violations } = await exchange.operator.invariants();
  assert.equal(ok, true, violations.join("; "));
});

test("SIGINT of an idle process: exit 0, the same state afterwards", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const account = await openAccount(exchange, { ...FUNDS });
  await account.client.placed({
    symbol: "BTCUSDT",
    side: "sell",
    orderType: "limit",
    force: "normal",
    price: "30000",
    quantity: "0.5",
    clientOrderId: "rests",
  });
  const hash = await exchange.operator.stateHash();
  const exit = await exchange.kill("SIGINT");
  assert.equal(exit.code, 0, exit.output);
  await exchange.restart();
  assert.equal(await exchange.operator.stateHash(), hash);
});

test("a data folder belongs to one process", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const hash = await exchange.operator.stateHash();
  await assert.rejects(
    ExchangeProcess.start({}, exchange.dataFolder),
    (error: Error) => error instanceof StartRefused && error.exit.code !== 0,
  );
  // The first one goes on undisturbed.
  assert.equal(exchange.exit, null);
  assert.equal(await exchange.operator.stateHash(), hash);
  await listMarket(exchange, "ETHBTC", {
    ...BTCUSDT,
    baseAsset: "ETH",
    quoteAsset: "BTC",
    minNotional: "0.0001",
    stepSize: "0.0001",
  });
  // A kill leaves no lock behind.
  await exchange.kill("SIGKILL");
  await exchange.restart();
  assert.notEqual(await exchange.operator.stateHash(), hash);
});

test("a sandbox folder needs --sandbox again", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const hash = await exchange.operator.stateHash();
  await exchange.kill("SIGTERM");
  await assert.rejects(exchange.restart({ sandbox: false }), (error: Error) => {
    assert.ok(error instanceof StartRefused, error.message);
    assert.notEqual(error.exit.code, 0);
    assert.match(error.exit.output, /sandbox/i);
    return true;
  });
  await exchange.restart();
  assert.equal(await exchange.operator.stateHash(), hash);
});

test("without --sandbox the clock cannot be moved and no token is printed", async (t) => {
  const token = "token-of-this-test-0123456789abcdef";
  const env = { RIALTO_OPERATOR_TOKEN: token };
  const exchange = await ExchangeProcess.start({ sandbox: false, env, operatorToken: token });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const clock = "/operator/v1/sandbox/clock/advance";
  const answer = await exchange.operator.send("POST", clock, { ms: 1000 });
  assert.ok(answer.status === 404 || answer.status === 409, answer.text);
  assert.ok(!exchange.readyLine.includes(token), exchange.readyLine);
});

test("what cannot be used is refused with what to do", async () => {
  const file = join(temporaryFolder(), "a-file");
  writeFileSync(file, "");
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const attempts = [
    [["--data-dir", file], /--data-dir/],
    [["--data-dir", join(file, "below")], /--data-dir/],
    [["--data-dir", "/proc/nothing-can-be-made-here"], /--data-dir/],
    [["--port", String(port)], /--port/],
    [["--operator-port", String(port)], /--operator-port/],
    [["--port", "70000"], /--port/],
    [["--profile", "full"], /--profile/],
    [["--no-such-flag"], /no-such-flag/],
  ] as const;
  for (const [flags, advice] of attempts) {
    await assert.rejects(ExchangeProcess.start({ flags }), (error: Error) => {
      assert.ok(error instanceof StartRefused, `${flags.join(" ")}: ${error.message}`);
      assert.ok(error.exit.code !== null && error.exit.code !== 0, flags.join(" "));
      assert.match(error.exit.output, advice, flags.join(" "));
      assert.doesNotMatch(error.exit.output, /^\s+at /m, "a stack trace is no advice");
      return true;
    });
  }
  listener.close();
});

test("the ready line is all that goes to standard output", async () => {
  const folder = temporaryFolder();
  const args = ["--port", "0", "--operator-port", "0", "--data-dir", folder, "--profile", "empty"];
  const child = spawn(process.execPath, [PROGRAM, "start", ...args, "--sandbox"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let written = "";
  child.stdout.on("data", (chunk: Buffer) => {
    written += chunk.toString("utf8");
    if (written.includes("\n")) child.kill("SIGTERM");
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  assert.equal(code, 0);
  const lines = written.trimEnd().split("\n");
  assert.equal(lines.length, 1, written);
  const ready = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
  assert.equal(ready.event, "ready");
  assert.ok(Number.isInteger(ready.port) && Number.isInteger(ready.operatorPort));
  assert.equal(typeof ready.operatorToken, "string");
  assert.ok(Array.isArray(ready.demo));
});
