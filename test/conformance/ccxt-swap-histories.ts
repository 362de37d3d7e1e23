/** Orders, trades, ledger and funding of one account on contracts, read back through ccxt. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { LedgerEntry, Trade } from "ccxt";
import { passFundingSlot, pinMark } from "../support/contract-setup.ts";
import { exact, sum, text } from "../support/exact.ts";
import { BTC_SWAP, type Trader } from "./ccxt-client.ts";
import { positionOf, type SwapFixture } from "./ccxt-swap-fixture.ts";

export interface IncomeRow {
  readonly billId: number;
  readonly asset: string;
  readonly symbol: string | null;
  readonly income: string;
  readonly incomeType: string;
  readonly balance: string;
  readonly fillFee: string;
  readonly time: number;
}

/** Every row of the account, oldest first, page by page through the cursor. */
export async function allIncome({ account }: Trader): Promise<IncomeRow[]> {
  const rows: IncomeRow[] = [];
  let cursor: object = {};
  for (let page = 0; page < 100; page++) {
    const answer = await account.client.post("/capi/v3/account/income", { limit: 100, ...cursor });
    assert.equal(answer.status, 200, answer.text);
    const { hasNextPage, nextKey, items } = answer.body as {
      hasNextPage: boolean;
      nextKey: object | null;
      items: IncomeRow[];
    };
    rows.push(...items);
    assert.equal(nextKey !== null, hasNextPage);
    if (nextKey === null) break;
    cursor = nextKey;
  }
  return rows.toReversed();
}

/** Every row ends where the next one begins, and the last one at the present balance. */
export function assertChain(rows: readonly IncomeRow[], balance: string): void {
  let before = 0n;
  for (const row of rows) {
    assert.equal(text(before + exact(row.income)), row.balance, JSON.stringify(row));
    before = exact(row.balance);
  }
  assert.equal(text(before), balance);
}

async function orders(t: TestContext, { alice, bob }: SwapFixture): Promise<void> {
  await t.test("orders: open, closed, canceled, and both of them", async () => {
    const resting = await alice.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.01, 58_000);
    const open = await alice.ccxt.fetchOpenOrders(BTC_SWAP);
    const ended = await alice.ccxt.fetchCanceledAndClosedOrders(BTC_SWAP);
    const closed = await alice.ccxt.fetchClosedOrders(BTC_SWAP);
    const canceled = await alice.ccxt.fetchCanceledOrders(BTC_SWAP);
    assert.deepEqual(
      open.map(({ id }) => id),
      [resting.id],
    );
    assert.ok(closed.length >= 5 && canceled.length >= 5);
    assert.equal(ended.length, closed.length + canceled.length);
    assert.equal(new Set(ended.map(({ id }) => id)).size, ended.length);
    for (const order of ended) {
      const read = await alice.ccxt.fetchOrder(order.id as string, BTC_SWAP);
      const { info } = order;
      const same = Object.fromEntries(Object.keys(info).map((name) => [name, read.info[name]]));
      assert.deepEqual(same, info);
    }
    const newest = await alice.ccxt.fetchCanceledAndClosedOrders(BTC_SWAP, undefined, 3);
    assert.deepEqual(
      newest.map(({ id }) => id),
      ended.slice(-3).map(({ id }) => id),
    );
    const mine = new Set(ended.map(({ id }) => id));
    const theirs = await bob.ccxt.fetchCanceledAndClosedOrders(BTC_SWAP);
    assert.ok(theirs.length > 0 && theirs.every(({ id }) => !mine.has(id)));
    await alice.ccxt.cancelOrder(resting.id as string, BTC_SWAP);
  });
}

async function trades(t: TestContext, { alice, bob, anonymous }: SwapFixture): Promise<void> {
  await t.test("own trades add up to own orders, on both sides of each match", async () => {
    const mine = await alice.ccxt.fetchMyTrades(BTC_SWAP);
    const theirs = await bob.ccxt.fetchMyTrades(BTC_SWAP);
    const publicTrades = await anonymous.fetchTrades(BTC_SWAP);
    assert.equal(mine.length, publicTrades.length);
    const shape = ({ id, price, amount, cost, timestamp }: Trade): unknown[] => [
      id,
      price,
      amount,
      cost,
      timestamp,
    ];
    assert.deepEqual(mine.map(shape), theirs.map(shape));
    assert.deepEqual(mine.map(shape), publicTrades.map(shape));
    mine.forEach((trade, i) => {
      const other = theirs[i] as Trade;
      assert.deepEqual(
        new Set([trade.takerOrMaker, other.takerOrMaker]),
        new Set(["maker", "taker"]),
      );
      assert.notEqual(trade.side, other.side);
      const rate = trade.takerOrMaker === "maker" ? "0.0002" : "0.0008";
      assert.equal(trade.fee?.currency, "USDT");
      const fee = (exact(trade.info.quoteQty) * exact(rate)) / 10n ** 18n;
      assert.equal(trade.info.commission, text(fee));
    });
    for (const order of await alice.ccxt.fetchCanceledAndClosedOrders(BTC_SWAP)) {
      const fills = await alice.ccxt.fetchOrderTrades(order.id as string, BTC_SWAP);
      assert.equal(text(sum(fills.map(({ info }) => exact(info.qty)))), order.info.executedQty);
      assert.equal(text(sum(fills.map(({ info }) => exact(info.quoteQty)))), order.info.cumQuote);
    }
    const newest = await alice.ccxt.fetchMyTrades(BTC_SWAP, undefined, 2);
    assert.deepEqual(
      newest.map(({ id }) => id),
      mine.slice(-2).map(({ id }) => id),
    );
  });
}

async function funding(t: TestContext, fixture: SwapFixture): Promise<void> {
  const { alice, bob, exchange, anonymous } = fixture;
  await t.test("funding: what longs pay is what shorts get", async () => {
    await pinMark(exchange, "BTCUSDT", "60000");
    const before = await positionOf(alice, "long");
    assert.equal(before?.contracts, 0.55);
    const shortBefore = await positionOf(alice, "short");
    const slotMs = await passFundingSlot(exchange, alice.account, "BTCUSDT");
    // Three times a day the clock itself has passed a slot since the exchange began.
    const rate = (await anonymous.fetchFundingRateHistory(BTC_SWAP)).at(-1);
    assert.equal(rate?.timestamp, slotMs);
    assert.equal(rate?.fundingRate, 0.0001);
    assert.equal((await anonymous.fetchFundingRate(BTC_SWAP)).fundingRate, 0.0001);
    const paidBy = async (trader: Trader) => {
      const rows = await trader.ccxt.fetchFundingHistory(BTC_SWAP);
      const ofSlot = rows.filter(({ timestamp }) => timestamp === slotMs);
      return ofSlot.map(({ amount }) => amount).sort();
    };
    assert.deepEqual(await paidBy(alice), [-3.3, 1.2]);
    assert.deepEqual(await paidBy(bob), [-1.2, 3.3]);
    const feeOf = (position: typeof before | null) => exact(position?.info.fundingFee);
    const after = await positionOf(alice, "long");
    assert.equal(text(feeOf(after) - feeOf(before)), "3.3");
    const shortAfter = await positionOf(alice, "short");
    assert.equal(text(feeOf(shortAfter) - feeOf(shortBefore)), "-1.2");
    await pinMark(exchange, "BTCUSDT", null);
  });
}

async function ledger(t: TestContext, { alice, bob, carol }: SwapFixture): Promise<void> {
  await t.test("ledger: every entry ends where the next one begins", async () => {
    for (const trader of [alice, bob, carol]) {
      const [held] = (await trader.ccxt.fetchBalance()).info as { balance: string }[];
      assertChain(await allIncome(trader), held?.balance ?? "");
    }
    const entries = (await alice.ccxt.fetchLedger("USDT", undefined, 100)) as LedgerEntry[];
    const types = new Set(entries.map(({ type }) => type));
    assert.ok(types.has("trade") && types.has("position_funding"), [...types].join(" "));
    const raw = await allIncome(alice);
    const kinds = new Set(raw.map(({ incomeType }) => incomeType));
    for (const kind of [
      "deposit",
      "position_open_long",
      "position_open_short",
      "position_close_long",
      "position_funding",
    ]) {
      assert.ok(kinds.has(kind), kind);
    }
  });
}

export async function swapHistoryTests(t: TestContext, fixture: SwapFixture): Promise<void> {
  await orders(t, fixture);
  await trades(t, fixture);
  await funding(t, fixture);
  await ledger(t, fixture);
}
