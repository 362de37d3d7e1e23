/** Trigger orders, stop losses and take profits, alone and attached, through ccxt. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Order } from "ccxt";
import ccxt from "ccxt";
import { pinMark } from "../support/contract-setup.ts";
import { BTC_SWAP, type Trader } from "./ccxt-client.ts";
import { flatten, openPair, positionOf, type SwapFixture } from "./ccxt-swap-fixture.ts";

interface AlgoRow {
  readonly algoId: number;
  readonly algoStatus: string;
  readonly orderType: string;
  readonly actualOrderId: number | null;
  readonly actualPrice: string;
  readonly triggerTime: number;
  readonly quantity: string;
}

function conditionals({ ccxt: client }: Trader): Promise<Order[]> {
  return client.fetchOpenOrders(BTC_SWAP, undefined, undefined, { trigger: true });
}

async function historyRow({ account }: Trader, order: Order): Promise<AlgoRow> {
  const path = "/capi/v3/allAlgoOrders";
  const { orders } = await account.client.v3<{ orders: AlgoRow[] }>(path, { symbol: "BTCUSDT" });
  const row = orders.find(({ algoId }) => String(algoId) === order.id);
  assert.ok(row !== undefined, `no row of ${order.id}`);
  return row;
}

/** Makes the last trade happen at a price, between two accounts that the test is not about. */
async function tradeAt({ alice, bob }: SwapFixture, price: number): Promise<void> {
  await openPair(alice, bob, 0.001, price);
}

async function placing(t: TestContext, fixture: SwapFixture): Promise<void> {
  const { carol, bob } = fixture;
  await t.test(
    "trigger, stop-loss and take-profit orders are listed as what they are",
    async () => {
      await tradeAt(fixture, 60_000);
      await openPair(carol, bob, 0.1, 60_000);
      const client = carol.ccxt;
      const entry = await client.createTriggerOrder(
        BTC_SWAP,
        "market",
        "buy",
        0.05,
        undefined,
        61_000,
      );
      const limitEntry = await client.createTriggerOrder(
        BTC_SWAP,
        "limit",
        "buy",
        0.05,
        61_100,
        61_050,
      );
      const stop = await client.createStopLossOrder(
        BTC_SWAP,
        "market",
        "sell",
        0.1,
        undefined,
        59_000,
      );
      const profit = await client.createTakeProfitOrder(
        BTC_SWAP,
        "limit",
        "sell",
        0.1,
        62_000,
        61_900,
      );
      const rows = new Map((await conditionals(carol)).map((row) => [row.id, row]));
      assert.equal(rows.size, 4);
      const shown = ({ id }: Order): unknown[] => {
        const row = rows.get(id as string) as Order;
        const { type, side, amount, status, reduceOnly, triggerPrice } = row;
        return [type, side, amount, status, reduceOnly, triggerPrice, row.info.orderType];
      };
      const open = "open";
      assert.deepEqual(shown(entry), ["market", "buy", 0.05, open, false, 61_000, "STOP_MARKET"]);
      assert.deepEqual(shown(limitEntry), ["limit", "buy", 0.05, open, false, 61_050, "STOP"]);
      assert.deepEqual(shown(stop), ["market", "sell", 0.1, open, true, 59_000, "STOP_MARKET"]);
      assert.deepEqual(shown(profit), ["limit", "sell", 0.1, open, true, 61_900, "TAKE_PROFIT"]);
      assert.equal(rows.get(stop.id as string)?.stopLossPrice, 59_000);
      assert.equal(rows.get(profit.id as string)?.takeProfitPrice, 61_900);
      assert.deepEqual(await client.fetchOpenOrders(BTC_SWAP), []);

      await client.cancelOrder(entry.id as string, BTC_SWAP, { trigger: true });
      assert.equal((await historyRow(carol, entry)).algoStatus, "CANCELED");
      const again = client.cancelOrder(entry.id as string, BTC_SWAP, { trigger: true });
      await assert.rejects(again, ccxt.InvalidOrder);
      const rest = (await client.cancelAllOrders(BTC_SWAP, { trigger: true })) as Order[];
      assert.equal(rest.length, 3);
      assert.deepEqual(await conditionals(carol), []);
    },
  );
}

async function refusedAtOnce(t: TestContext, { carol, bob }: SwapFixture): Promise<void> {
  await t.test("one that would fire at once is refused", async () => {
    const order = carol.ccxt.createStopLossOrder(
      BTC_SWAP,
      "market",
      "sell",
      0.1,
      undefined,
      60_000,
    );
    await assert.rejects(order, /-3207/);
    await flatten(carol, bob);
  });
}

async function firing(t: TestContext, fixture: SwapFixture): Promise<void> {
  const { carol, bob } = fixture;
  await t.test("a stop loss fires when the last price reaches it, and closes", async () => {
    await openPair(carol, bob, 0.1, 60_000);
    const stop = await carol.ccxt.createStopLossOrder(
      BTC_SWAP,
      "market",
      "sell",
      0.1,
      undefined,
      59_500,
    );
    await tradeAt(fixture, 59_500.1);
    assert.equal((await conditionals(carol)).length, 1);
    const closing = { reduceOnly: true };
    await bob.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.1, 59_450, closing);
    await tradeAt(fixture, 59_500);
    assert.equal(await positionOf(carol, "long"), null);
    const row = await historyRow(carol, stop);
    assert.equal(row.algoStatus, "FILLED");
    assert.equal(row.actualPrice, "59450");
    assert.ok(row.triggerTime > 0);
    const child = await carol.ccxt.fetchOrder(String(row.actualOrderId), BTC_SWAP);
    assert.deepEqual(
      [child.status, child.type, child.filled, child.average],
      ["closed", "market", 0.1, 59_450],
    );
    const fills = await carol.ccxt.fetchOrderTrades(child.id as string, BTC_SWAP);
    assert.equal(fills[0]?.info.realizedPnl, "-55");
    await tradeAt(fixture, 60_000);
  });

  await t.test("an entry fires upwards and opens", async () => {
    const entry = await carol.ccxt.createTriggerOrder(
      BTC_SWAP,
      "limit",
      "buy",
      0.1,
      60_300,
      60_200,
    );
    await tradeAt(fixture, 60_200);
    const row = await historyRow(carol, entry);
    assert.equal(row.algoStatus, "TRIGGERED");
    assert.equal(row.actualPrice, "0");
    const child = await carol.ccxt.fetchOrder(String(row.actualOrderId), BTC_SWAP);
    assert.deepEqual([child.status, child.type, child.price], ["open", "limit", 60_300]);
    assert.deepEqual(await conditionals(carol), []);
    await bob.ccxt.createOrder(BTC_SWAP, "limit", "sell", 0.1, 60_300);
    const filled = await historyRow(carol, entry);
    assert.deepEqual([filled.algoStatus, filled.actualPrice], ["FILLED", "60300"]);
    await flatten(carol, bob);
    await tradeAt(fixture, 60_000);
  });
}

async function attached(t: TestContext, fixture: SwapFixture): Promise<void> {
  const { carol, bob } = fixture;
  await t.test(
    "take profit and stop loss of an order: two rows, gone with the position",
    async () => {
      const order = await carol.ccxt.createOrderWithTakeProfitAndStopLoss(
        BTC_SWAP,
        "limit",
        "buy",
        0.2,
        59_900,
        61_000,
        59_000,
      );
      const types = ["TAKE_PROFIT_MARKET", "STOP_MARKET"];
      const rows = async (): Promise<AlgoRow[]> =>
        (await conditionals(carol))
          .map(({ info }) => info as AlgoRow)
          .sort((a, b) => a.algoId - b.algoId);
      const dormant = await rows();
      assert.deepEqual(
        dormant.map((row) => [row.orderType, row.algoStatus, row.quantity]),
        types.map((type) => [type, "NEW", "0.2"]),
      );
      await bob.ccxt.createOrder(BTC_SWAP, "limit", "sell", 0.05, 59_900);
      assert.deepEqual(
        (await rows()).map((row) => [row.orderType, row.algoStatus, row.quantity]),
        types.map((type) => [type, "UNTRIGGERED", "0.05"]),
      );
      await bob.ccxt.createOrder(BTC_SWAP, "limit", "sell", 0.15, 59_900);
      assert.deepEqual(
        (await rows()).map((row) => row.quantity),
        ["0.2", "0.2"],
      );
      await bob.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.2, 61_000, { reduceOnly: true });
      await tradeAt(fixture, 61_050);
      assert.equal(await positionOf(carol, "long"), null);
      assert.deepEqual(await rows(), []);
      const [profit, stop] = dormant;
      const status = async (id: number | undefined): Promise<string> =>
        (await historyRow(carol, { id: String(id) } as Order)).algoStatus;
      assert.equal(await status(profit?.algoId), "FILLED");
      assert.equal(await status(stop?.algoId), "CANCELED");
      const read = await carol.ccxt.fetchOrder(order.id as string, BTC_SWAP);
      assert.equal(read.status, "closed");
      await tradeAt(fixture, 60_000);
    },
  );
}

async function attachedElsewhere(t: TestContext, fixture: SwapFixture): Promise<void> {
  const { carol, bob, exchange } = fixture;
  await t.test("by the mark price", async () => {
    await bob.ccxt.createOrder(BTC_SWAP, "limit", "sell", 0.1, 60_000);
    await carol.ccxt.createOrder(BTC_SWAP, "market", "buy", 0.1, undefined, {
      stopLoss: { triggerPrice: 59_000, triggerPriceType: "mark" },
    });
    const [row] = await conditionals(carol);
    assert.equal(row?.info.workingType, "MARK_PRICE");
    await bob.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.1, 59_100, { reduceOnly: true });
    await pinMark(exchange, "BTCUSDT", "59000.1");
    assert.equal((await conditionals(carol)).length, 1);
    await pinMark(exchange, "BTCUSDT", "59000");
    assert.equal(await positionOf(carol, "long"), null);
    assert.equal((await historyRow(carol, row as Order)).actualPrice, "59100");
    await pinMark(exchange, "BTCUSDT", "60000");
  });

  await t.test("on the wrong side of the order's price it is refused", async () => {
    const order = carol.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.1, 59_900, {
      takeProfit: { triggerPrice: 59_900 },
    });
    await assert.rejects(order, /-3207/);
    assert.deepEqual(await carol.ccxt.fetchOpenOrders(BTC_SWAP), []);
  });
}

export async function swapConditionalTests(t: TestContext, fixture: SwapFixture): Promise<void> {
  await pinMark(fixture.exchange, "BTCUSDT", "60000");
  await placing(t, fixture);
  await refusedAtOnce(t, fixture);
  await firing(t, fixture);
  await attached(t, fixture);
  await attachedElsewhere(t, fixture);
}
