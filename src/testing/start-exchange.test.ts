/**
 * Proves the test kit: independent exchanges, set up in one call; users that trade; a clock and
 * marks that the test controls; acknowledged changes survive a kill; and whatever happens to the
 * test (it throws, exits, forgets to stop, is killed), no process and no folder is left behind.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { SignedClient } from "../../test/support/signed-client.ts";
import { ExchangeNotStarted, OperatorRefusal, startExchange, type TestExchange } from "./index.ts";

const KIT = join(import.meta.dirname, "index.ts");

const ownFolder = mkdtempSync(join(tmpdir(), "rialto-kit-test-"));
after(() => rmSync(ownFolder, { recursive: true, force: true }));

interface Invariants {
  readonly ok: boolean;
  readonly stateHash: string;
}

function invariants(exchange: TestExchange): Promise<Invariants> {
  return exchange.operator.call("GET", "invariants");
}

function clientOf(exchange: TestExchange, user: Awaited<ReturnType<TestExchange["createUser"]>>) {
  return new SignedClient(Number(new URL(exchange.url).port), user);
}

const REST = {
  symbol: "BTCUSDT",
  side: "buy",
  orderType: "limit",
  force: "normal",
  price: "50000",
  quantity: "0.1",
  clientOrderId: "rests",
};

test("two exchanges at once know nothing of each other", async () => {
  await using one = await startExchange({ spot: ["BTCUSDT"] });
  await using other = await startExchange({ spot: ["ETHUSDT", "BTCUSDT"] });
  assert.notEqual(one.url, other.url);
  assert.notEqual(one.dataFolder, other.dataFolder);
  const alice = await one.createUser({ uid: 7, spot: { USDT: "10000" } });
  const bob = await other.createUser({ uid: 7, spot: { USDT: "20000", BTC: "1" } });
  const [ofOne, ofOther] = [clientOf(one, alice), clientOf(other, bob)];
  await ofOne.placed(REST);
  await ofOther.placed({ ...REST, side: "sell" });
  for (const [client, usdt] of [
    [ofOne, "5000"],
    [ofOther, "20000"],
  ] as const) {
    const { data } = (await client.get("/api/v2/account/assets")).body as {
      data: { coinName: string; available: string }[];
    };
    assert.equal(data.find(({ coinName }) => coinName === "USDT")?.available, usdt);
  }
  // The keys of one are unknown to the other.
  const stranger = clientOf(other, alice);
  assert.equal((await stranger.get("/api/v2/account/assets")).status, 400);
  for (const client of [ofOne, ofOther, stranger]) client.close();
});

test("the clock jumps and a mark liquidates, when told to", async () => {
  await using exchange = await startExchange({
    contracts: ["BTCUSDT", { symbol: "XYZUSDT", indexPrice: "2", tickSize: "0.001" }],
  });
  const funds = { contract: { USDT: "1000" } };
  const [alice, bob] = [await exchange.createUser(funds), await exchange.createUser(funds)];
  const [taker, maker] = [clientOf(exchange, alice), clientOf(exchange, bob)];
  for (const [client, side, positionSide] of [
    [maker, "SELL", "SHORT"],
    [taker, "BUY", "LONG"],
  ] as const) {
    const order = {
      symbol: "XYZUSDT",
      side,
      positionSide,
      type: "LIMIT",
      timeInForce: "GTC",
      price: "2",
    };
    const answer = await client.post("/capi/v3/order", {
      ...order,
      quantity: "8000",
      newClientOrderId: `order-${side}`,
    });
    assert.equal(answer.status, 200, answer.text);
  }
  const positions = async () =>
    (await taker.get("/capi/v3/account/position/allPosition")).body as unknown[];
  assert.equal((await positions()).length, 1);
  await exchange.setMarkPrice("XYZUSDT", "1.5");
  assert.equal((await positions()).length, 0, "a loss of four times the margin");
  const before = (await taker.get("/api/v3/time")).body as { serverTime: number };
  const time = await exchange.advanceClock(86_400_000);
  assert.ok(time >= before.serverTime + 86_400_000);
  await exchange.setIndexPrice("BTCUSDT", "70000");
  assert.equal((await invariants(exchange)).ok, true);
  for (const client of [taker, maker]) client.close();
});

test("a frozen clock takes orders, stands still over a kill, and is set forward", async () => {
  await using exchange = await startExchange({
    spot: ["BTCUSDT"],
    flags: ["--gateways", "1"],
  });
  const alice = await exchange.createUser({ spot: { USDT: "10000" } });
  const client = clientOf(exchange, alice);
  const serverTime = async () =>
    ((await client.get("/api/v3/time")).body as { serverTime: number }).serverTime;
  const frozenMs = await exchange.setClock({ freeze: true });
  const orderId = await client.placed(REST);
  assert.equal(await serverTime(), frozenMs);
  await exchange.kill();
  await exchange.restart();
  assert.equal(await serverTime(), frozenMs);
  const laterMs = frozenMs + 90 * 86_400_000;
  assert.equal(await exchange.setClock({ setMs: laterMs }), laterMs);
  assert.equal(await serverTime(), laterMs);
  assert.ok((await exchange.setClock({ speed: 10_000 })) >= laterMs);
  while ((await serverTime()) < laterMs + 60_000) await sleep(1);
  const cancelled = await client.cancelled({ symbol: "BTCUSDT", orderId: String(orderId) });
  assert.equal(cancelled.result, true);
  client.close();
});

test("what was acknowledged survives a kill; a restart is found where it was", async () => {
  await using exchange = await startExchange({ spot: ["BTCUSDT"] });
  const alice = await exchange.createUser({ spot: { USDT: "10000" } });
  const client = clientOf(exchange, alice);
  const orderId = await client.placed(REST);
  const { url, pid } = exchange;
  const { stateHash } = await invariants(exchange);
  await exchange.kill();
  assert.throws(() => process.kill(pid, 0));
  await exchange.restart();
  assert.equal(exchange.url, url);
  assert.notEqual(exchange.pid, pid);
  assert.equal((await invariants(exchange)).stateHash, stateHash);
  await exchange.restart();
  const cancelled = await client.cancelled({ symbol: "BTCUSDT", orderId: String(orderId) });
  assert.equal(cancelled.result, true);
  client.close();
});

test("a folder that is given stays, with its markets; a temporary one goes", async () => {
  const dataFolder = join(ownFolder, "kept");
  const first = await startExchange({ dataFolder, spot: ["BTCUSDT"] });
  await first.createUser({ uid: 7, spot: { USDT: "10000" } });
  await first.stop();
  await first.stop();
  const second = await startExchange({ dataFolder, spot: ["BTCUSDT", "SOLUSDT"] });
  await second.deposit({ uid: 7, account: "spot", asset: "USDT", amount: "0.5" });
  const { spot } = await second.operator.call<{ spot: { asset: string; equity: string }[] }>(
    "GET",
    "users/7/balances",
  );
  assert.equal(spot.find(({ asset }) => asset === "USDT")?.equity, "10000.5");
  await second.stop();
  assert.ok(existsSync(join(dataFolder, "journal")));
  const temporary = await startExchange();
  await temporary.stop();
  assert.equal(existsSync(temporary.dataFolder), false);
  await assert.rejects(temporary.restart(), /startExchange/);
});

test("what cannot start says why, and leaves nothing behind", async () => {
  await assert.rejects(
    startExchange({ flags: ["--no-such-flag"] }),
    (error: Error) => error instanceof ExchangeNotStarted && /no-such-flag/.test(error.message),
  );
  await assert.rejects(
    startExchange({ spot: [{ symbol: "BTCUSDT", tickSize: "nothing" }] }),
    (error: Error) => error instanceof OperatorRefusal && error.field === "tickSize",
  );
  await assert.rejects(startExchange({ spot: ["GOLD"] }), /give its baseAsset and quoteAsset/);
});

test("settings of the test's own environment do not reach the exchange", async () => {
  process.env.RIALTO_PROFILE = "full";
  process.env.NODE_OPTIONS = "--no-such-option";
  try {
    await using exchange = await startExchange();
    assert.deepEqual(exchange.demoAccounts, []);
  } finally {
    delete process.env.RIALTO_PROFILE;
    delete process.env.NODE_OPTIONS;
  }
});

/** A separate test process, which reports what it started and then ends in some way. */
function runScript(ending: string, ...flags: readonly string[]): ChildProcess {
  const script = `
    import assert from "node:assert/strict";
    import { startExchange } from ${JSON.stringify(KIT)};
    const exchange = await startExchange({ spot: ["BTCUSDT"] });
    console.log(JSON.stringify({ pid: exchange.pid, folder: exchange.dataFolder }));
    ${ending}`;
  return spawn(process.execPath, [...flags, "--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "ignore"],
    // Whoever starts an exchange beside this test would remove what a killed one leaves behind.
    env: { ...process.env, TMPDIR: ownFolder },
  });
}

interface Started {
  readonly pid: number;
  readonly folder: string;
}

async function startedBy(child: ChildProcess): Promise<Started> {
  assert.ok(child.stdout !== null);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return JSON.parse(line.toString("utf8")) as Started;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

for (const [how, ending, code] of [
  ["throws", 'assert.equal(1, 2, "a failing test");', 1],
  ["exits", "process.exit(3);", 3],
  ["forgets to stop it", "", 0],
] as const) {
  test(`a test that ${how} leaves no process and no folder behind`, async () => {
    const child = runScript(ending);
    const exited = once(child, "exit");
    const { pid, folder } = await startedBy(child);
    assert.deepEqual(await exited, [code, null]);
    for (let looks = 0; isAlive(pid) && looks < 500; looks++) await sleep(20);
    assert.equal(isAlive(pid), false);
    assert.equal(existsSync(folder), false);
  });
}

test("a killed test takes its exchange along; the next start removes the folder", async () => {
  const child = runScript("await new Promise((resolve) => setTimeout(resolve, 60_000));");
  const exited = once(child, "exit");
  const { pid, folder } = await startedBy(child);
  assert.ok(isAlive(pid) && existsSync(folder));
  child.kill("SIGKILL");
  await exited;
  for (let looks = 0; isAlive(pid) && looks < 1_000; looks++) await sleep(20);
  assert.equal(isAlive(pid), false);
  assert.ok(existsSync(folder));
  const next = runScript("");
  const ended = once(next, "exit");
  await startedBy(next);
  assert.equal(existsSync(folder), false);
  assert.deepEqual(await ended, [0, null]);
});
