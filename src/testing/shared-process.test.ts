/**
 * Proves that exchanges in one process are independent of each other (ports, folders, users, keys,
 * clocks, resets), that each stops and restarts alone, that a kill of one is refused while others
 * run, and that the end of the process is the end of all and leaves nothing behind.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ExchangeNotStarted, startExchanges, type TestExchange } from "./index.ts";

const MARKETS = { spot: ["BTCUSDT"], contracts: ["BTCUSDT"] };

async function clockOf(exchange: TestExchange): Promise<number> {
  const operator = await exchange.operatorClient();
  return (await operator.getClock()).time;
}

async function usersOf(exchange: TestExchange): Promise<readonly number[]> {
  const path = "users?limit=1000";
  const { items } = await exchange.operator.call<{ items: { uid: number }[] }>("GET", path);
  return items.map(({ uid }) => uid);
}

async function balancesOf(exchange: TestExchange, uid: number): Promise<readonly string[]> {
  const operator = await exchange.operatorClient();
  const { spot, contract } = await operator.getBalances({ uid });
  const all = [
    ...spot.map(({ asset, equity }) => ["spot", asset, equity]),
    ...contract.map(({ asset, balance }) => ["contract", asset, balance]),
  ];
  return all.filter(([, , amount]) => Number(amount) > 0).map((fields) => fields.join(" "));
}

async function isGone(pid: number): Promise<boolean> {
  for (let looks = 0; looks < 1_000; looks++) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await sleep(10);
  }
  return false;
}

test("exchanges in one process know nothing of each other", async () => {
  const exchanges = await startExchanges(3, MARKETS);
  const [one, other, third] = exchanges;
  assert.ok(one !== undefined && other !== undefined && third !== undefined);
  assert.equal(new Set(exchanges.map(({ pid }) => pid)).size, 1);
  assert.equal(new Set(exchanges.map(({ url }) => url)).size, 3);
  assert.equal(new Set(exchanges.map(({ dataFolder }) => dataFolder)).size, 3);
  const alice = await one.createUser({ uid: 7, funds: { USDT: "1000", BTC: "1" } });
  assert.deepEqual(await balancesOf(one, 7), [
    "spot BTC 1",
    "spot USDT 1000",
    "contract USDT 1000",
  ]);
  assert.ok(!(await usersOf(other)).includes(7));
  const order = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" } as const;
  const { spot } = await one.client(alice);
  await spot.placeOrder({ ...order, quantity: "0.01", price: "50000" });
  assert.equal((await spot.openOrders({ symbol: "BTCUSDT" })).length, 1);
  const stranger = await other.client(alice);
  await assert.rejects(stranger.spot.openOrders({ symbol: "BTCUSDT" }));

  await one.advanceClock(86_400_000);
  assert.ok((await clockOf(one)) - (await clockOf(other)) > 80_000_000);
  await one.reset();
  assert.ok(!(await usersOf(one)).includes(7));
  await other.createUser({ uid: 8 });
  await third.reset();
  assert.ok((await usersOf(other)).includes(8));

  const { url } = other;
  await other.restart();
  assert.equal(other.url, url);
  assert.ok((await usersOf(other)).includes(8));
  await assert.rejects(one.kill(), /3 exchanges share this process/);
  await one.stop();
  assert.equal(existsSync(one.dataFolder), false);
  assert.ok((await usersOf(third)).length >= 0);
  await Promise.all([other.stop(), third.stop()]);
  assert.ok(await isGone(other.pid));
  for (const { dataFolder } of exchanges) assert.equal(existsSync(dataFolder), false);
});

test("the last one of a process is killed and restarted like one alone", async () => {
  const [one, other] = await startExchanges(2);
  assert.ok(one !== undefined && other !== undefined);
  await one.stop();
  const { pid, url } = other;
  await other.createUser({ uid: 9 });
  await other.kill();
  assert.ok(await isGone(pid));
  await other.restart();
  assert.equal(other.url, url);
  assert.deepEqual((await usersOf(other)).includes(9), true);
  await other.stop();
});

test("the end of the process is the end of all, and they can be stopped", async () => {
  const exchanges = await startExchanges(2);
  const pid = exchanges[0]?.pid ?? 0;
  process.kill(pid, "SIGKILL");
  assert.ok(await isGone(pid));
  for (const exchange of exchanges) {
    await assert.rejects(usersOf(exchange));
    await exchange.stop();
    assert.equal(existsSync(exchange.dataFolder), false);
  }
});

test("a wrong flag is told, and nothing goes on", async () => {
  await assert.rejects(
    startExchanges(2, { flags: ["--no-such-flag"] }),
    (error: Error) => error instanceof ExchangeNotStarted && /no-such-flag/.test(error.message),
  );
  await assert.rejects(
    startExchanges(2, { flags: ["--gateways", "2"] }),
    (error: Error) => error instanceof ExchangeNotStarted && /--threads one/.test(error.message),
  );
});
