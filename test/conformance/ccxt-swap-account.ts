/** Wallet, leverage, margin modes, positions and their margin, through ccxt. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Position } from "ccxt";
import ccxt from "ccxt";
import { pinMark } from "../support/contract-setup.ts";
import { exact, text } from "../support/exact.ts";
import { BTC_SWAP, ETH_SWAP, type Trader } from "./ccxt-client.ts";
import { flatten, openPair, positionOf, type SwapFixture } from "./ccxt-swap-fixture.ts";

type BalanceRow = Readonly<
  Record<"asset" | "balance" | "availableBalance" | "frozen" | "unrealizePnl", string>
>;

async function balanceRow({ ccxt: client }: Trader): Promise<BalanceRow> {
  const { info } = await client.fetchBalance();
  return (info as BalanceRow[])[0] as BalanceRow;
}

async function balance(
  t: TestContext,
  { carol, bob, exchange, funds }: SwapFixture,
): Promise<void> {
  await t.test(
    "balance: free, used, total; an opening order freezes, a closing one not",
    async () => {
      assert.deepEqual(await balanceRow(carol), {
        asset: "USDT",
        balance: funds,
        availableBalance: funds,
        frozen: "0",
        unrealizePnl: "0",
      });
      const order = await carol.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.5, 59_000);
      const held = await carol.ccxt.fetchBalance();
      // 29,500 at leverage 20, and the taker's fee of 0.08 %.
      assert.equal(held.USDT?.used, 1475 + 23.6);
      assert.equal(held.USDT?.free, Number(funds) - 1498.6);
      assert.equal(held.USDT?.total, Number(funds));
      await carol.ccxt.cancelOrder(order.id as string, BTC_SWAP);
      assert.equal((await balanceRow(carol)).frozen, "0");

      await openPair(carol, bob, 0.1, 60_000);
      await pinMark(exchange, "BTCUSDT", "60100");
      const open = await balanceRow(carol);
      assert.equal(open.balance, text(exact(funds) - exact("4.8")));
      assert.equal(open.unrealizePnl, "10");
      // Profit is not available; the margin of a cross position follows the mark.
      assert.equal(open.availableBalance, text(exact(open.balance) - exact("300.5")));
      await pinMark(exchange, "BTCUSDT", "59900");
      const lost = await balanceRow(carol);
      assert.equal(lost.unrealizePnl, "-10");
      assert.equal(lost.availableBalance, text(exact(lost.balance) - exact("309.5")));
      const close = { reduceOnly: true };
      await carol.ccxt.createOrder(BTC_SWAP, "limit", "sell", 0.1, 61_000, close);
      assert.equal((await balanceRow(carol)).frozen, "0");
      await pinMark(exchange, "BTCUSDT", "60000");
      await flatten(carol, bob);
      assert.equal((await balanceRow(carol)).unrealizePnl, "0");
    },
  );
}

async function leverage(t: TestContext, { carol, bob }: SwapFixture): Promise<void> {
  await t.test("leverage: standard, set per mode and side, refused above the maximum", async () => {
    const standard = await carol.ccxt.fetchLeverage(BTC_SWAP);
    assert.equal(standard.marginMode, "cross");
    assert.equal(standard.longLeverage, 20);
    const all = await carol.ccxt.fetchLeverages();
    assert.deepEqual(Object.keys(all).sort(), [BTC_SWAP, ETH_SWAP]);

    const set = (await carol.ccxt.setLeverage(50, BTC_SWAP)) as Record<string, unknown>;
    assert.equal(set.crossLeverage, "50");
    assert.equal(set.isolatedLongLeverage, "20");
    assert.equal((await carol.ccxt.fetchLeverage(BTC_SWAP)).shortLeverage, 50);
    assert.equal((await carol.ccxt.fetchLeverage(ETH_SWAP)).shortLeverage, 20);
    await assert.rejects(
      carol.ccxt.setLeverage(101, BTC_SWAP),
      (error: Error) => error instanceof ccxt.InvalidOrder && error.message.includes("-3313"),
    );
    await assert.rejects(carol.ccxt.setLeverage(0, BTC_SWAP), ccxt.BadRequest);
    await assert.rejects(carol.ccxt.setLeverage(2.5, BTC_SWAP), ccxt.BadRequest);

    const resting = await carol.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.1, 59_000);
    const inUse = (error: Error): boolean => error.message.includes("-3208");
    await assert.rejects(carol.ccxt.setLeverage(20, BTC_SWAP), inUse);
    await carol.ccxt.cancelOrder(resting.id as string, BTC_SWAP);
    await openPair(carol, bob, 0.1, 60_000);
    await carol.ccxt.setLeverage(20, BTC_SWAP);
    assert.equal((await positionOf(carol, "long"))?.leverage, 20);
    await flatten(carol, bob);
  });
}

async function modes(t: TestContext, { carol, bob }: SwapFixture): Promise<void> {
  await t.test("margin mode and position mode, refused with an order or a position", async () => {
    assert.equal((await carol.ccxt.fetchMarginMode(BTC_SWAP)).marginMode, "cross");
    assert.equal((await carol.ccxt.fetchPositionMode(BTC_SWAP)).hedged, false);
    await carol.ccxt.setMarginMode("isolated", BTC_SWAP);
    await carol.ccxt.setMarginMode("isolated", BTC_SWAP);
    const modesNow = await carol.ccxt.fetchMarginModes();
    assert.equal(modesNow[BTC_SWAP]?.marginMode, "isolated");
    assert.equal(modesNow[ETH_SWAP]?.marginMode, "cross");

    await carol.ccxt.setPositionMode(true, BTC_SWAP, { marginMode: "isolated" });
    assert.equal((await carol.ccxt.fetchPositionMode(BTC_SWAP)).hedged, true);
    const inUse = (error: Error): boolean => error.message.includes("-3209");
    const order = await carol.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.1, 59_000);
    await assert.rejects(carol.ccxt.setMarginMode("cross", BTC_SWAP), inUse);
    await carol.ccxt.cancelOrder(order.id as string, BTC_SWAP);
    await openPair(carol, bob, 0.1, 60_000);
    await openPair(carol, bob, 0.2, 60_000);
    const back = carol.ccxt.setPositionMode(false, BTC_SWAP, { marginMode: "isolated" });
    await assert.rejects(back, inUse);
    // Not merged: each opening order has a position of its own.
    const separated = await carol.ccxt.fetchPositions([BTC_SWAP]);
    assert.deepEqual(separated.map(({ contracts }) => contracts).sort(), [0.1, 0.2]);
    assert.ok(separated.every(({ hedged }) => hedged === true));
    assert.equal(new Set(separated.map(({ info }) => info.separatedOpenOrderId)).size, 2);
    await separatedCloses({ carol, bob }, separated);
    await carol.ccxt.setPositionMode(false, BTC_SWAP, { marginMode: "isolated" });
  });
}

/** One of two positions is named and closed; the other one goes with the side. */
async function separatedCloses(
  { carol, bob }: Pick<SwapFixture, "carol" | "bob">,
  separated: readonly Position[],
): Promise<void> {
  const newer = separated.find(({ contracts }) => contracts === 0.2);
  const closing = { reduceOnly: true };
  await bob.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.3, 60_000, closing);
  const params = { positionId: newer?.id };
  const closed = await carol.ccxt.closePosition(BTC_SWAP, undefined, params);
  assert.equal(closed.info.positionId, newer?.info.id);
  assert.match(closed.id as string, /^\d+$/);
  const left = await carol.ccxt.fetchPositions([BTC_SWAP]);
  assert.deepEqual(
    left.map(({ contracts }) => contracts),
    [0.1],
  );
  await carol.ccxt.closePosition(BTC_SWAP);
  assert.deepEqual(await carol.ccxt.fetchPositions([BTC_SWAP]), []);
}

async function margin(t: TestContext, { carol, bob, exchange }: SwapFixture): Promise<void> {
  await t.test(
    "margin of an isolated position: add, reduce, no further than it holds",
    async () => {
      await pinMark(exchange, "BTCUSDT", "60000");
      await openPair(carol, bob, 1, 60_000);
      const opened = (await positionOf(carol, "long")) as Position;
      assert.equal(opened.marginMode, "isolated");
      assert.equal(opened.hedged, false);
      assert.equal(opened.entryPrice, 60_000);
      assert.equal(opened.initialMargin, 3000);
      assert.equal(opened.liquidationPrice, 57_332.5);
      const { id } = opened;
      const added = await carol.ccxt.addMargin(BTC_SWAP, 500, { positionId: id });
      assert.equal(added.type, "add");
      const more = await carol.ccxt.fetchPosition(BTC_SWAP);
      assert.equal(more.id, id);
      assert.equal(more.info.isolatedMargin, "3500");
      assert.ok(Number(more.liquidationPrice) < 57_332.5);
      await carol.ccxt.reduceMargin(BTC_SWAP, 500, { positionId: id });
      const [least] = await carol.ccxt.fetchPositionsForSymbol(BTC_SWAP);
      assert.equal(least?.info.isolatedMargin, "3000");
      const { contracts, contractSize, entryPrice, notional } = least as Position;
      const size = Number(contracts) * Number(contractSize);
      assert.equal(size * Number(entryPrice), notional, "as ccxt defines it");
      const tooMuch = carol.ccxt.reduceMargin(BTC_SWAP, 0.5, { positionId: id });
      await assert.rejects(tooMuch, /-1054.*FAILED_PRECONDITION/);
      const missing = carol.ccxt.addMargin(BTC_SWAP, 1_000_000, { positionId: id });
      await assert.rejects(missing, ccxt.InsufficientFunds);
      const foreign = (await positionOf(bob, "short")) as Position;
      await assert.rejects(carol.ccxt.addMargin(BTC_SWAP, 1, { positionId: foreign.id }), /-1054/);
      await flatten(carol, bob);
    },
  );
}

async function closeAll(t: TestContext, { carol, bob }: SwapFixture): Promise<void> {
  await t.test("closeAllPositions ends positions of every market", async () => {
    await openPair(carol, bob, 0.1, 60_000);
    await openPair(carol, bob, 1, 3000, ETH_SWAP);
    assert.equal((await carol.ccxt.fetchPositions()).length, 2);
    const closing = { reduceOnly: true };
    await bob.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.1, 60_000, closing);
    await bob.ccxt.createOrder(ETH_SWAP, "limit", "buy", 1, 3000, closing);
    const closed = await carol.ccxt.closeAllPositions();
    assert.equal(closed.length, 2);
    for (const { info } of closed) assert.equal(info.success, true);
    assert.deepEqual(await carol.ccxt.fetchPositions(), []);
    assert.deepEqual(await carol.ccxt.closeAllPositions(), []);
  });
}

async function fees(t: TestContext, { carol, exchange }: SwapFixture): Promise<void> {
  await t.test("trading fee: the market's, then the account's own", async () => {
    const market = await carol.ccxt.fetchTradingFee(BTC_SWAP);
    assert.deepEqual([market.maker, market.taker], [0.0002, 0.0008]);
    const path = `/operator/v1/users/${carol.account.uid}/fee-rates`;
    const own = { product: "contract", makerFeeRate: "0.0001", takerFeeRate: "0.0005" };
    await exchange.operator.call("PUT", path, { ...own, symbol: "ETHUSDT" });
    const eth = await carol.ccxt.fetchTradingFee(ETH_SWAP);
    assert.deepEqual([eth.maker, eth.taker], [0.0001, 0.0005]);
    const btc = await carol.ccxt.fetchTradingFee(BTC_SWAP);
    assert.deepEqual([btc.maker, btc.taker], [0.0002, 0.0008]);
  });
}

export async function swapAccountTests(t: TestContext, fixture: SwapFixture): Promise<void> {
  await pinMark(fixture.exchange, "BTCUSDT", "60000");
  await balance(t, fixture);
  await leverage(t, fixture);
  await modes(t, fixture);
  await margin(t, fixture);
  await closeAll(t, fixture);
  await fees(t, fixture);
}
