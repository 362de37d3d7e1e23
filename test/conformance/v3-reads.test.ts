/**
 * Proves what lists of the v3 interface include and leave out: pages, time ranges, limits and
 * filters, on the real process. The whole list is read first; every narrower query must return a
 * part of it.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { exact, text } from "../support/exact.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import type { Query } from "../support/signed-client.ts";

const SYMBOL = "BTCUSDT";
const STEP_MS = 61_000;

interface Fixture {
  readonly exchange: ExchangeProcess;
  readonly alice: Account;
  readonly bob: Account;
}

interface OrderRow {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly status: string;
  readonly side: string;
  readonly executedQty: string;
  readonly cummulativeQuoteQty: string;
  readonly time: number;
  readonly isWorking: boolean;
}

interface FillRow {
  readonly id: number;
  readonly orderId: number;
  readonly qty: string;
  readonly time: number;
}

async function place(account: Account, order: Readonly<Record<string, string>>): Promise<number> {
  const answer = await account.client.post("/api/v3/order", { symbol: SYMBOL, ...order });
  assert.equal(answer.status, 200, answer.text);
  return (answer.body as OrderRow).orderId;
}

/** Eight orders of alice at different times: filled, cancelled, open, partly filled, in turn. */
async function trade({ exchange, alice, bob }: Fixture): Promise<void> {
  for (let i = 0; i < 8; i++) {
    const price = String(50_000 + i);
    const order = { side: "BUY", type: "LIMIT", quantity: "0.02", price };
    const orderId = await place(alice, { ...order, newClientOrderId: `order-${i}` });
    if (i % 4 === 1) await alice.client.delete("/api/v3/order", { orderId });
    if (i % 4 === 0) await place(bob, { side: "SELL", type: "MARKET", quantity: "0.02" });
    if (i % 4 === 3) await place(bob, { side: "SELL", type: "MARKET", quantity: "0.005" });
    await exchange.operator.advanceClock(STEP_MS);
  }
}

/** Newest first, by time and then by number. */
function assertNewestFirst(rows: readonly { time: number; orderId: number }[]): void {
  const sorted = rows.toSorted((a, b) => b.time - a.time || b.orderId - a.orderId);
  assert.deepEqual(rows, sorted);
}

async function orders(t: TestContext, { alice: { client } }: Fixture): Promise<void> {
  const list = (query: Query = {}): Promise<OrderRow[]> =>
    client.v3("/api/v3/allOrders", { symbol: SYMBOL, ...query });
  const all = await list();

  await t.test("allOrders: open and ended orders in one list, newest first", async () => {
    assert.equal(all.length, 8);
    assertNewestFirst(all);
    const open = await client.v3<OrderRow[]>("/api/v3/openOrders", { symbol: SYMBOL });
    assert.deepEqual(
      all.filter(({ isWorking }) => isWorking),
      open,
    );
    assert.deepEqual(
      new Set(all.map(({ status }) => status)),
      new Set(["NEW", "FILLED", "CANCELED"]),
    );
    for (const order of all) {
      const { orderId, clientOrderId } = order;
      assert.deepEqual(await client.v3("/api/v3/order", { orderId }), order);
      const byClientId = await client.v3("/api/v3/order", { origClientOrderId: clientOrderId });
      assert.deepEqual(byClientId, order);
    }
  });

  await t.test("allOrders: pages follow on each other", async () => {
    for (const limit of [1, 3, 8]) {
      const pages: OrderRow[] = [];
      for (let page = 1; page <= Math.ceil(8 / limit) + 1; page++) {
        pages.push(...(await list({ limit, page })));
      }
      assert.deepEqual(pages, all, `limit ${limit}`);
    }
  });

  await t.test("allOrders: both ends of a time range are inside", async () => {
    const [startTime, endTime] = [all[5]?.time as number, all[2]?.time as number];
    assert.deepEqual(await list({ startTime, endTime }), all.slice(2, 6));
    assert.deepEqual(
      await list({ startTime: startTime + 1, endTime: endTime - 1 }),
      all.slice(3, 5),
    );
    assert.deepEqual(await list({ startTime, endTime, limit: 3, page: 2 }), all.slice(5, 6));
    assert.deepEqual(await list({ startTime: endTime, endTime }), all.slice(2, 3));
  });
}

async function fills(t: TestContext, { alice: { client } }: Fixture): Promise<void> {
  const list = (query: Query = {}): Promise<FillRow[]> =>
    client.v3("/api/v3/myTrades", { symbol: SYMBOL, ...query });

  await t.test("myTrades: by order, by time, the newest within a limit", async () => {
    const all = await list();
    assertNewestFirst(all);
    const orders = await client.v3<OrderRow[]>("/api/v3/allOrders", { symbol: SYMBOL });
    for (const { orderId, executedQty } of orders) {
      const ofOrder = await list({ orderId });
      assert.deepEqual(
        ofOrder,
        all.filter((fill) => fill.orderId === orderId),
      );
      const filled = ofOrder.reduce((sum, { qty }) => sum + exact(qty), 0n);
      assert.equal(text(filled), executedQty);
    }
    assert.deepEqual(await list({ limit: 2 }), all.slice(0, 2));
    const time = all[1]?.time as number;
    assert.deepEqual(
      await list({ startTime: time, endTime: time }),
      all.filter((fill) => fill.time === time),
    );
    assert.deepEqual(await client.v3("/api/v3/myTrades", { symbol: "ETHUSDT" }), []);
    const oldestFirst = all.toReversed();
    const paged: FillRow[] = [];
    for (let fromId = 0; ; fromId = (paged.at(-1)?.id as number) + 1) {
      const page = await list({ fromId, limit: 2 });
      if (page.length === 0) break;
      paged.push(...page);
    }
    assert.deepEqual(paged, oldestFirst);
    const orderId = oldestFirst[1]?.orderId as number;
    const fromId = oldestFirst[1]?.id as number;
    assert.deepEqual(
      await list({ fromId, orderId }),
      oldestFirst.slice(1).filter((fill) => fill.orderId === orderId),
    );
    assert.deepEqual(
      await list({ fromId, startTime: time, endTime: time }),
      oldestFirst.slice(1).filter((fill) => fill.time === time),
    );
    assert.deepEqual(await list({ fromId: "9223372036854775807" }), []);
  });
}

interface BillRow {
  readonly bizType: string;
  readonly coinName: string;
  readonly cTime: string;
}

async function bills(t: TestContext, { alice: { client } }: Fixture): Promise<void> {
  const list = async (body: object): Promise<BillRow[]> => {
    const answer = await client.post("/api/v3/account/bills", body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body as BillRow[];
  };

  await t.test("bills: by coin, by kind, by time", async () => {
    const all = await list({ limit: 100 });
    const coins = new Set(all.map(({ coinName }) => coinName));
    assert.deepEqual(coins, new Set(["BTC", "USDT"]));
    const usdt = await list({ limit: 100, coinId: 2 });
    assert.deepEqual(
      usdt,
      all.filter(({ coinName }) => coinName === "USDT"),
    );
    assert.deepEqual(await list({ limit: 100, coinId: "2" }), usdt);
    for (const bizType of new Set(all.map((bill) => bill.bizType))) {
      const ofKind = all.filter((bill) => bill.bizType === bizType);
      assert.deepEqual(await list({ limit: 100, bizType }), ofKind);
    }
    assert.deepEqual(await list({}), all.slice(0, 10));
    const time = Number(all[3]?.cTime);
    assert.deepEqual(
      await list({ limit: 100, after: time, before: time }),
      all.filter(({ cTime }) => cTime === String(time)),
    );
  });
}

interface FundingPage {
  readonly total: number;
  readonly pages: number;
  readonly hasNextPage: boolean;
  readonly items: readonly { readonly deltaAmount: string }[];
}

async function funding(t: TestContext, { exchange, alice }: Fixture): Promise<void> {
  const { client, uid } = alice;
  const move = (kind: string, body: object): Promise<unknown> =>
    exchange.operator.call("POST", `/operator/v1/users/${uid}/${kind}`, body);

  await t.test("fundingBills: every page of deposits and withdrawals", async () => {
    await move("withdrawals", { id: "w-1", account: "spot", asset: "USDT", amount: "12.5" });
    const seen: string[] = [];
    for (const pageIndex of [1, 2]) {
      const answer = await client.post("/api/v3/account/fundingBills", { pageIndex, pageSize: 2 });
      const page = answer.body as FundingPage;
      assert.partialDeepStrictEqual(page, { total: 3, pages: 2, page: pageIndex, pageSize: 2 });
      assert.equal(page.hasNextPage, pageIndex === 1);
      seen.push(...page.items.map(({ deltaAmount }) => deltaAmount));
    }
    assert.deepEqual(seen.toSorted(), ["-12.5", "100", "1000000"]);
    assert.equal(seen[0], "-12.5");
  });

  await t.test("transferRecords: by wallet and coin", async () => {
    await move("transfers", {
      id: "t-1",
      from: "spot",
      to: "contract",
      asset: "USDT",
      amount: "7",
    });
    await move("transfers", {
      id: "t-2",
      from: "contract",
      to: "spot",
      asset: "USDT",
      amount: "3",
    });
    const list = async (query: Query): Promise<unknown[]> => {
      const rows = await client.v3<{ amount: string }[]>("/api/v3/account/transferRecords", query);
      return rows.map(({ amount }) => amount);
    };
    assert.deepEqual(await list({}), ["3", "7"]);
    assert.deepEqual(await list({ fromType: "SPOT" }), ["7"]);
    assert.deepEqual(await list({ fromType: "CONTRACT", coinId: 2 }), ["3"]);
    assert.deepEqual(await list({ coinId: 1 }), []);
    assert.deepEqual(await list({ limit: 1 }), ["3"]);
  });
}

type Candle = readonly [openTime: number, ...rest: unknown[]];

async function market(t: TestContext, { alice: { client } }: Fixture): Promise<void> {
  await t.test("klines: a range, and the newest within a limit", async () => {
    const list = (query: Query = {}): Promise<Candle[]> =>
      client.v3("/api/v3/market/klines", { symbol: SYMBOL, interval: "1m", ...query });
    const all = await list();
    assert.ok(all.length >= 8);
    assert.deepEqual(await list({ limit: 3 }), all.slice(-3));
    const [startTime, endTime] = [all[2]?.[0] as number, all[4]?.[0] as number];
    assert.deepEqual(await list({ startTime, endTime }), all.slice(2, 5));
    assert.deepEqual(await list({ startTime, endTime, limit: 2 }), all.slice(3, 5));
    assert.deepEqual(await list({ startTime: startTime + 1, endTime: endTime - 1 }), [all[3]]);
  });

  await t.test("symbols: one, some, all", async () => {
    for (const path of ["ticker/price", "ticker/24hr", "ticker/bookTicker"]) {
      const list = async (query: Query): Promise<string[]> => {
        const rows = await client.v3<{ symbol: string }[]>(`/api/v3/market/${path}`, query);
        return rows.map(({ symbol }) => symbol);
      };
      assert.deepEqual((await list({})).toSorted(), ["BTCUSDT", "ETHUSDT"]);
      assert.deepEqual(await list({ symbol: "ETHUSDT" }), ["ETHUSDT"]);
      const both = ["ETHUSDT", "BTCUSDT"];
      assert.deepEqual(await list({ symbols: both.join(",") }), both);
      assert.deepEqual(await list({ symbols: JSON.stringify(both) }), both);
    }
  });
}

test("v3 lists", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared", threads: "many" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const alice = await openAccount(exchange, { USDT: "1000000", BTC: "100" });
  const bob = await openAccount(exchange, { USDT: "1000000", BTC: "100" });
  const fixture = { exchange, alice, bob };
  await trade(fixture);
  await orders(t, fixture);
  await fills(t, fixture);
  await bills(t, fixture);
  await funding(t, fixture);
  await market(t, fixture);
  alice.client.close();
  bob.client.close();
});
