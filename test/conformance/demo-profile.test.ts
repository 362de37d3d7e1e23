/**
 * Proves the demo profile as a newcomer meets it, with the public client and the standard limits:
 * markets with two-sided books and moving prices, funded accounts whose printed keys trade spot and
 * contracts at once and hold positions already, an affiliate whose reports are full, and a restart
 * that keeps keys, funds and orders.
 */
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { weex } from "ccxt";
import { V2_AFFILIATE, V3_AFFILIATE } from "../support/affiliate-setup.ts";
import { type DemoAccount, ExchangeProcess, StartRefused } from "../support/exchange-process.ts";
import { type Query, SignedClient } from "../support/signed-client.ts";
import { BTC_SWAP, ccxtClient, ETH_SWAP } from "./ccxt-client.ts";

const SYMBOLS = ["BTC/USDT", "ETH/USDT", "SOL/USDT", BTC_SWAP, ETH_SWAP];
const POLLS_MAX = 120;

function clientOf(exchange: ExchangeProcess, account: DemoAccount | undefined): weex {
  assert.ok(account !== undefined, "no demo account in the ready line");
  return ccxtClient(exchange, new Set(), account);
}

/** Polls, a fixed number of times at most: the traders act on a clock of their own. */
async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    if (await holds()) return;
    await sleep(500);
  }
  assert.fail(`never: ${what}`);
}

async function restartTest(t: TestContext, exchange: ExchangeProcess, client: weex): Promise<void> {
  await t.test("a restart keeps keys, funds and orders, and seeds nothing twice", async () => {
    const file = join(exchange.dataFolder, "demo-keys.json");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const keys = readFileSync(file, "utf8");
    const { demo } = exchange;
    const users = async (): Promise<number> =>
      (await exchange.operator.call<{ users: number }>("GET", "/operator/v1/status")).users;
    const before = { users: await users(), balance: (await client.fetchBalance()).info.balances };
    const open = await client.fetchOpenOrders("BTC/USDT");
    await exchange.kill("SIGKILL");
    await exchange.restart();
    assert.deepEqual(exchange.demo, demo);
    assert.equal(readFileSync(file, "utf8"), keys);
    assert.equal(await users(), before.users);
    const again = clientOf(exchange, exchange.demo[0]);
    assert.deepEqual((await again.fetchBalance()).info.balances, before.balance);
    const stillOpen = await again.fetchOpenOrders("BTC/USDT");
    assert.deepEqual(
      stillOpen.map(({ id }) => id),
      open.map(({ id }) => id),
    );
    const { ok, violations } = await exchange.operator.invariants();
    assert.equal(ok, true, violations.join("; "));
  });
}

type Rows = readonly Readonly<Record<string, string | number>>[];

/** The printed keys are of two traders and of the affiliate above them. */
async function affiliateTest(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  const [trader, other, affiliate] = exchange.demo;
  assert.ok(trader !== undefined && other !== undefined && affiliate !== undefined);
  const client = new SignedClient(exchange.port, affiliate);
  const read = (path: string, query: Query = {}) =>
    client.v3<Record<string, Rows>>(`${V3_AFFILIATE}/${path}`, query);
  const columnOf = (rows: Rows | undefined, name: string) => rows?.map((row) => row[name]) ?? [];

  await t.test(
    "the affiliate's four reports are full, with paid amounts in both products",
    async () => {
      const query = { startTime: Date.now() - 3_600_000 };
      for (const productType of ["SPOT", "FUTURES"]) {
        let rows: Rows = [];
        await eventually(`settled commissions of ${productType}`, async () => {
          const page = await read("getAffiliateCommission", { ...query, productType });
          rows = page.channelCommissionInfoItems ?? [];
          return columnOf(rows, "status").includes("settled");
        });
        assert.deepEqual(new Set(columnOf(rows, "sourceType")), new Set([1, 2]));
        const body = { productType };
        const days = await client.post(`${V2_AFFILIATE}/querySubChannelTransactions`, body);
        const { data } = days.body as { data: { records: Rows } };
        assert.ok(
          data.records.some((row) => Number(row.paidCommission) > 0),
          days.text,
        );
      }
      const { records } = await read("getChannelUserTradeAndAsset");
      const totals = (name: string) => columnOf(records, name).map(Number);
      for (const name of ["depositAmount", "withdrawalAmount", "spotTradingAmount", "commission"]) {
        assert.ok(
          totals(name).some((amount) => amount > 0),
          name,
        );
      }
      assert.ok(totals("spotTradingAmount").includes(0), "somebody is idle");
      const { channelUserInfoItemList } = await read("getAffiliateUIDs");
      assert.deepEqual(
        new Set(columnOf(channelUserInfoItemList, "kycResult")),
        new Set([true, false]),
      );
      assert.ok(columnOf(channelUserInfoItemList, "uid").map(Number).includes(other.uid));
    },
  );

  await t.test("what a newcomer trades earns the affiliates at once", async () => {
    const before = await read("getAffiliateCommission", { uid: trader.uid });
    await clientOf(exchange, trader).createOrder("BTC/USDT", "market", "buy", 0.002);
    const { channelCommissionInfoItems: rows } = await read("getAffiliateCommission", {
      uid: trader.uid,
    });
    assert.equal((rows?.length ?? 0) > (before.channelCommissionInfoItems?.length ?? 0), true);
    assert.deepEqual([rows?.[0]?.uid, rows?.[0]?.sourceType], [String(trader.uid), 2]);
  });
  client.close();
}

async function contractTest(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  await t.test("a newcomer's first contract, beside what the accounts hold already", async () => {
    const swap = ccxtClient(exchange, new Set(), exchange.demo[0], "swap");
    const held = await swap.fetchPositions();
    assert.ok(held.length > 0, "no position to look at");
    for (const { liquidationPrice, unrealizedPnl } of held) {
      assert.equal(typeof liquidationPrice, "number");
      assert.equal(typeof unrealizedPnl, "number");
    }
    const bought = await swap.createOrder(BTC_SWAP, "market", "buy", 0.01);
    const read = await swap.fetchOrder(bought.id as string, BTC_SWAP);
    assert.equal(read.status, "closed", JSON.stringify(read.info));
    const rates = await swap.fetchFundingRates();
    assert.deepEqual(Object.keys(rates).sort(), [BTC_SWAP, ETH_SWAP]);
    for (const { markPrice, indexPrice } of Object.values(rates)) {
      assert.ok(Number(markPrice) > 0 && Number(indexPrice) > 0);
    }
  });
}

async function onDemandTest(
  t: TestContext,
  exchange: ExchangeProcess,
  client: weex,
): Promise<void> {
  await t.test("makers leave a market to a book on demand, and come back", async () => {
    const path = "/operator/v1/sandbox/markets/DOGEUSDT/book";
    const { last } = await client.fetchTicker("DOGE/USDT");
    const price = (ratio: number) => ((last as number) * ratio).toFixed(5);
    const book = { bids: [[price(0.97), "1000"]], asks: [[price(1.03), "2000"]] };
    await exchange.operator.call("POST", path, book);
    for (let poll = 0; poll < 4; poll++) {
      await sleep(500);
      const { bids, asks } = await client.fetchOrderBook("DOGE/USDT");
      assert.deepEqual(
        [bids, asks],
        [[[Number(price(0.97)), 1000]], [[Number(price(1.03)), 2000]]],
      );
    }
    await exchange.operator.call("DELETE", path);
    await eventually("a two-sided book of DOGE/USDT again", async () => {
      const { bids, asks } = await client.fetchOrderBook("DOGE/USDT");
      return bids.length >= 3 && asks.length >= 3;
    });
  });
}

test("the demo profile", async (t) => {
  const exchange = await ExchangeProcess.start({ profile: "demo", rateLimits: "standard" });
  t.after(() => exchange.stop());
  const client = clientOf(exchange, exchange.demo[0]);

  await t.test("markets, funds and two-sided books", async () => {
    const markets = await client.loadMarkets();
    for (const symbol of SYMBOLS) assert.ok(symbol in markets, symbol);
    assert.ok(Object.values(markets).filter((market) => market?.spot).length >= 4);
    for (const account of exchange.demo) {
      const { free } = await clientOf(exchange, account).fetchBalance();
      assert.ok(Number((free as unknown as Record<string, number>).USDT) > 1000);
    }
    for (const symbol of SYMBOLS) {
      await eventually(`a two-sided book of ${symbol}`, async () => {
        const { bids, asks } = await client.fetchOrderBook(symbol);
        return bids.length >= 3 && asks.length >= 3;
      });
    }
  });

  await t.test("a newcomer's first trades", async () => {
    const bought = await client.createOrder("BTC/USDT", "market", "buy", 0.001);
    const read = await client.fetchOrder(bought.id as string, "BTC/USDT");
    assert.equal(read.status, "closed", JSON.stringify(read.info));
    const { last } = await client.fetchTicker("BTC/USDT");
    const price = Math.floor((last as number) * 0.95);
    const resting = await client.createOrder("BTC/USDT", "limit", "buy", 0.001, price);
    assert.equal((await client.fetchOpenOrders("BTC/USDT"))[0]?.id, resting.id);
  });

  await contractTest(t, exchange);
  await affiliateTest(t, exchange);
  await t.test("prices move", async () => {
    const seen = new Set<number | undefined>();
    await eventually("three prices of BTC/USDT", async () => {
      seen.add((await client.fetchTicker("BTC/USDT")).last);
      return seen.size >= 3;
    });
  });

  await t.test("the mark of a contract follows", async () => {
    const seen = new Set<unknown>();
    await eventually("three marks of BTC", async () => {
      seen.add((await client.fetchMarkPrice(BTC_SWAP)).markPrice);
      return seen.size >= 3;
    });
  });

  await onDemandTest(t, exchange, client);
  await restartTest(t, exchange, client);
  await t.test("an address that others reach needs --expose-demo", async () => {
    await assert.rejects(
      ExchangeProcess.start({ profile: "demo", sandbox: false, flags: ["--host", "0.0.0.0"] }),
      (error: Error) => error instanceof StartRefused && /expose-demo/.test(error.exit.output),
    );
  });
});
