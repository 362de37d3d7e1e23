/** Orders, trades, ledger, transfers and balance of one account, read back through ccxt. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { LedgerEntry, Trade } from "ccxt";
import { exact, sum, text } from "../support/exact.ts";
import { BTC, type CcxtFixture, ETH } from "./ccxt-client.ts";

async function orders(t: TestContext, { alice, bob }: CcxtFixture): Promise<void> {
  await t.test("orders: all, open, closed, canceled", async () => {
    const resting = await alice.ccxt.createOrder(BTC, "limit", "buy", 0.01, 40_000);
    const all = await alice.ccxt.fetchOrders(BTC);
    const open = await alice.ccxt.fetchOpenOrders(BTC);
    const closed = await alice.ccxt.fetchClosedOrders(BTC);
    const canceled = await alice.ccxt.fetchCanceledOrders(BTC);
    assert.deepEqual(
      open.map(({ id }) => id),
      [resting.id],
    );
    assert.ok(closed.length >= 5 && canceled.length >= 5);
    assert.equal(all.length, open.length + closed.length + canceled.length);
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
    for (const order of all) {
      const read = await alice.ccxt.fetchOrder(order.id as string, BTC);
      assert.deepEqual(read.info, order.info);
    }
    const newest = await alice.ccxt.fetchOrders(BTC, undefined, 3);
    assert.deepEqual(
      newest.map(({ id }) => id),
      all.slice(-3).map(({ id }) => id),
    );
    const since = all.at(-3)?.timestamp as number;
    const late = await alice.ccxt.fetchOrders(BTC, since);
    assert.deepEqual(
      late.map(({ id }) => id),
      all.filter(({ timestamp }) => (timestamp as number) >= since).map(({ id }) => id),
    );
    const mine = new Set(all.map(({ id }) => id));
    const theirs = await bob.ccxt.fetchOrders(BTC);
    assert.ok(theirs.length > 0 && theirs.every(({ id }) => !mine.has(id)));
    await alice.ccxt.cancelOrder(resting.id as string, BTC);
    assert.equal((await alice.ccxt.fetchOrders(ETH)).length > 0, true);
  });
}

async function trades(t: TestContext, { alice, bob, anonymous }: CcxtFixture): Promise<void> {
  await t.test("own trades add up to own orders, on both sides of each match", async () => {
    const mine = await alice.ccxt.fetchMyTrades(BTC);
    const theirs = await bob.ccxt.fetchMyTrades(BTC);
    const publicTrades = await anonymous.fetchTrades(BTC);
    assert.equal(mine.length, publicTrades.length);
    const shape = ({ price, amount, cost, timestamp }: Trade): unknown[] => [
      price,
      amount,
      cost,
      timestamp,
    ];
    assert.deepEqual(mine.map(shape), theirs.map(shape));
    assert.deepEqual(mine.map(shape), publicTrades.map(shape));
    for (const trade of mine) {
      assert.equal(trade.fee?.currency, trade.side === "buy" ? "BTC" : "USDT");
      assert.ok(exact(trade.info.commission) > 0n);
    }
    for (const order of await alice.ccxt.fetchOrders(BTC)) {
      const fills = await alice.ccxt.fetchOrderTrades(order.id as string, BTC);
      const quantity = sum(fills.map((fill) => exact(fill.info.qty)));
      const quote = sum(fills.map((fill) => exact(fill.info.quoteQty)));
      assert.equal(text(quantity), order.info.executedQty);
      assert.equal(text(quote), order.info.cummulativeQuoteQty);
    }
    const newest = await alice.ccxt.fetchMyTrades(BTC, undefined, 2);
    assert.deepEqual(
      newest.map(({ id }) => id),
      mine.slice(-2).map(({ id }) => id),
    );
  });
}

async function ledger(t: TestContext, { alice }: CcxtFixture): Promise<void> {
  await t.test("ledger: every entry ends where the next one begins", async () => {
    const entries = (await alice.ccxt.fetchLedger(undefined, undefined, 100)) as LedgerEntry[];
    const types = new Set(entries.map(({ type }) => type));
    assert.ok(types.has("deposit") && types.has("trade"), [...types].join(" "));
    const balance = await alice.ccxt.fetchBalance();
    for (const coin of ["USDT", "BTC"]) {
      const rows = entries
        .filter(({ currency }) => currency === coin)
        .map(({ info }) => info as Record<"billId" | "deltaAmount" | "afterAmount", string>)
        .sort((a, b) => Number(a.billId) - Number(b.billId));
      let before = 0n;
      for (const row of rows) {
        assert.equal(text(before + exact(row.deltaAmount)), row.afterAmount, `bill ${row.billId}`);
        before = exact(row.afterAmount);
      }
      const held = balance.info.balances.find((row: { asset: string }) => row.asset === coin);
      assert.equal(text(before), text(exact(held.free) + exact(held.locked)));
    }
    const usdt = await alice.ccxt.fetchLedger("USDT", undefined, 100);
    assert.ok(usdt.length > 0 && usdt.every(({ currency }) => currency === "USDT"));
  });
}

async function funds(t: TestContext, { alice, exchange }: CcxtFixture): Promise<void> {
  await t.test("funding bills and transfers", async () => {
    await exchange.operator.call("POST", `/operator/v1/users/${alice.account.uid}/transfers`, {
      id: "to-contract-1",
      from: "spot",
      to: "contract",
      asset: "USDT",
      amount: "250.5",
    });
    const transfers = await alice.ccxt.fetchTransfers("USDT");
    assert.equal(transfers.length, 1);
    assert.equal(transfers[0]?.amount, 250.5);
    assert.equal(transfers[0]?.currency, "USDT");
    assert.equal(transfers[0]?.status, "ok");
    assert.equal(transfers[0]?.fromAccount, "spot");
    assert.equal(transfers[0]?.toAccount, "contract");
    const entries = (await alice.ccxt.fetchLedger("USDT", undefined, 10)) as LedgerEntry[];
    const transfer = entries.find(({ type }) => type === "transfer");
    assert.equal(transfer?.direction, "out");
    assert.equal(transfer?.amount, 250.5);
    const funding = await alice.ccxt.fetchLedger(undefined, undefined, 10, { type: "funding" });
    const chain = ({ type, currency, before, amount, after }: LedgerEntry): unknown[] => [
      ...[type, currency, before, amount, after],
    ];
    assert.deepEqual(funding.map(chain).sort(), [
      ["deposit", "BTC", 0, 10, 10],
      ["deposit", "USDT", 0, 1_000_000, 1_000_000],
    ]);
  });

  await t.test("funding bills say what each wallet holds afterwards", async () => {
    const { uid } = alice.account;
    const resting = await alice.ccxt.createOrder(BTC, "limit", "buy", 0.01, 40_000);
    const before = (await alice.ccxt.fetchBalance()).USDT?.total as number;
    for (const [kind, account] of [
      ["withdrawals", "spot"],
      ["deposits", "contract"],
      ["withdrawals", "contract"],
    ]) {
      await exchange.operator.call("POST", `/operator/v1/users/${uid}/${kind}`, {
        ...{ id: `funding-${account}`, account, asset: "USDT", amount: "12.5" },
      });
    }
    const funding = await alice.ccxt.fetchLedger("USDT", undefined, 3, { type: "funding" });
    const inContract = 250.5;
    assert.deepEqual(
      funding.map((entry) => [entry.direction, entry.before, entry.after]),
      [
        ["out", before, before - 12.5],
        ["in", inContract, inContract + 12.5],
        ["out", inContract + 12.5, inContract],
      ],
    );
    await alice.ccxt.cancelOrder(resting.id as string, BTC);
  });
}

async function balance(t: TestContext, { alice }: CcxtFixture): Promise<void> {
  await t.test("balance: free, used, total", async () => {
    const before = await alice.ccxt.fetchBalance();
    const order = await alice.ccxt.createOrder(BTC, "limit", "buy", 0.5, 40_000);
    const held = await alice.ccxt.fetchBalance();
    assert.equal(held.USDT?.used, 20_000);
    assert.equal(held.USDT?.total, before.USDT?.total);
    assert.equal(held.info.uid, alice.account.uid);
    assert.equal(held.info.accountType, "SPOT");
    await alice.ccxt.cancelOrder(order.id as string, BTC);
    const after = await alice.ccxt.fetchBalance();
    assert.deepEqual(after.USDT, before.USDT);
  });
}

export async function historyTests(t: TestContext, fixture: CcxtFixture): Promise<void> {
  await orders(t, fixture);
  await trades(t, fixture);
  await ledger(t, fixture);
  await funds(t, fixture);
  await balance(t, fixture);
}
