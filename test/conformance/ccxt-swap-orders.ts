/** Every order kind on contracts, opening and closing, and every way to cancel, through ccxt. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Order } from "ccxt";
import ccxt from "ccxt";
import { BTC_SWAP, ETH_SWAP } from "./ccxt-client.ts";
import { expectSwapOrder, positionOf, type SwapFixture } from "./ccxt-swap-fixture.ts";

async function limitOrders(t: TestContext, { alice, bob }: SwapFixture): Promise<void> {
  await t.test("a limit order rests, fills in parts, and is closed when it is full", async () => {
    const sell = await bob.ccxt.createLimitSellOrder(BTC_SWAP, 0.5, 60_000);
    assert.match(sell.id as string, /^\d+$/);
    assert.match(sell.clientOrderId as string, /^b-WEEX111125-/);
    const resting = await expectSwapOrder(bob.ccxt, sell, { status: "open", filled: 0 });
    assert.equal(resting.side, "sell");
    assert.equal(resting.type, "limit");
    assert.equal(resting.timeInForce, "GTC");
    assert.equal(resting.price, 60_000);
    assert.equal(resting.amount, 0.5);
    assert.equal(resting.remaining, 0.5);
    assert.equal(resting.reduceOnly, false);
    assert.equal(resting.info.positionSide, "SHORT");
    assert.equal(resting.clientOrderId, sell.clientOrderId);

    const first = await alice.ccxt.createLimitBuyOrder(BTC_SWAP, 0.2, 60_100);
    const filled = { status: "closed", filled: 0.2, cost: 12_000 } as const;
    const read = await expectSwapOrder(alice.ccxt, first, filled);
    assert.equal(read.average, 60_000);
    await expectSwapOrder(bob.ccxt, sell, { status: "open", filled: 0.2, cost: 12_000 });
    const second = await alice.ccxt.createLimitOrder(BTC_SWAP, "buy", 0.3, 60_000);
    await expectSwapOrder(alice.ccxt, second, { status: "closed", filled: 0.3, cost: 18_000 });
    await expectSwapOrder(bob.ccxt, sell, { status: "closed", filled: 0.5, cost: 30_000 });
    assert.equal((await positionOf(alice, "long"))?.contracts, 0.5);
    assert.equal((await positionOf(bob, "short"))?.contracts, 0.5);
  });

  await t.test("IOC takes what is there and never rests", async () => {
    const sell = await bob.ccxt.createOrder(BTC_SWAP, "limit", "sell", 0.1, 60_000);
    const ioc = { timeInForce: "IOC" };
    const order = await alice.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.25, 60_000, ioc);
    const expected = { status: "canceled", filled: 0.1, cost: 6000 } as const;
    const read = await expectSwapOrder(alice.ccxt, order, expected);
    assert.equal(read.timeInForce, "IOC");
    await expectSwapOrder(bob.ccxt, sell, { status: "closed", filled: 0.1 });
    assert.deepEqual(await alice.ccxt.fetchOpenOrders(BTC_SWAP), []);
  });

  await t.test("FOK fills whole or not at all", async () => {
    const sell = await bob.ccxt.createOrder(BTC_SWAP, "limit", "sell", 0.1, 60_000);
    const fok = { timeInForce: "FOK" };
    const tooLarge = await alice.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.11, 60_000, fok);
    await expectSwapOrder(alice.ccxt, tooLarge, { status: "canceled", filled: 0 });
    await expectSwapOrder(bob.ccxt, sell, { status: "open", filled: 0 });
    const fits = await alice.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.1, 60_000, fok);
    await expectSwapOrder(alice.ccxt, fits, { status: "closed", filled: 0.1, cost: 6000 });
  });

  await t.test("POST_ONLY rests, or ends canceled where it would take", async () => {
    const postOnly = { timeInForce: "POST_ONLY" };
    const sell = await bob.ccxt.createOrder(BTC_SWAP, "limit", "sell", 0.1, 60_000, postOnly);
    await expectSwapOrder(bob.ccxt, sell, { status: "open", filled: 0 });
    const crossing = await alice.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.1, 60_000, postOnly);
    await expectSwapOrder(alice.ccxt, crossing, { status: "canceled", filled: 0 });
    await expectSwapOrder(bob.ccxt, sell, { status: "open", filled: 0 });
    await bob.ccxt.cancelOrder(sell.id as string, BTC_SWAP);
  });
}

async function marketOrders(t: TestContext, { alice, bob }: SwapFixture): Promise<void> {
  await t.test("market orders open in both directions", async () => {
    await bob.ccxt.createOrder(BTC_SWAP, "limit", "sell", 0.1, 60_000);
    await bob.ccxt.createOrder(BTC_SWAP, "limit", "sell", 0.1, 60_010);
    const buy = await alice.ccxt.createMarketBuyOrder(BTC_SWAP, 0.15);
    const expected = { status: "closed", filled: 0.15, cost: 9000.5 } as const;
    const bought = await expectSwapOrder(alice.ccxt, buy, expected);
    assert.equal(bought.type, "market");
    assert.equal(bought.timeInForce, "IOC");
    await bob.ccxt.cancelAllOrders(BTC_SWAP);

    await bob.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.2, 59_990);
    const sell = await alice.ccxt.createMarketSellOrder(BTC_SWAP, 0.05);
    const sold = { status: "closed", filled: 0.05, cost: 2999.5 } as const;
    await expectSwapOrder(alice.ccxt, sell, sold);
    assert.equal((await positionOf(alice, "short"))?.contracts, 0.05);
    assert.equal((await positionOf(alice, "long"))?.contracts, 0.85);
    const rest = await alice.ccxt.createMarketOrder(BTC_SWAP, "sell", 0.15);
    await expectSwapOrder(alice.ccxt, rest, { status: "closed", filled: 0.15, cost: 8998.5 });
  });

  await t.test("a market order on an empty book is accepted and ends canceled", async () => {
    const buy = await alice.ccxt.createOrder(ETH_SWAP, "market", "buy", 1);
    await expectSwapOrder(alice.ccxt, buy, { status: "canceled", filled: 0 }, ETH_SWAP);
  });
}

async function closingOrders(t: TestContext, { alice, bob }: SwapFixture): Promise<void> {
  await t.test("reduce-only orders close the side that their own side names", async () => {
    const price = 60_000;
    const close = await alice.ccxt.createReduceOnlyOrder(BTC_SWAP, "limit", "sell", 0.3, price);
    const resting = await expectSwapOrder(alice.ccxt, close, { status: "open", filled: 0 });
    assert.equal(resting.reduceOnly, true);
    assert.equal(resting.info.positionSide, "LONG");
    const back = await bob.ccxt.createReduceOnlyOrder(BTC_SWAP, "limit", "buy", 0.3, price);
    const closed = { status: "closed", filled: 0.3, cost: 18_000 } as const;
    await expectSwapOrder(bob.ccxt, back, closed);
    await expectSwapOrder(alice.ccxt, close, closed);
    assert.equal((await positionOf(alice, "long"))?.contracts, 0.55);
    assert.equal((await positionOf(alice, "short"))?.contracts, 0.2);
    assert.equal((await positionOf(bob, "short"))?.contracts, 0.55);
    assert.equal((await positionOf(bob, "long"))?.contracts, 0.2);
  });

  await t.test("what rests for closing is reserved; more than the rest is refused", async () => {
    const close = { reduceOnly: true };
    const params = [BTC_SWAP, "limit", "sell"] as const;
    const first = await alice.ccxt.createOrder(...params, 0.5, 61_000, close);
    const refused = (error: Error): boolean =>
      error instanceof ccxt.ExchangeError && error.message.includes('"code":-3202');
    await assert.rejects(alice.ccxt.createOrder(...params, 0.051, 61_000, close), refused);
    const second = await alice.ccxt.createOrder(...params, 0.05, 61_000, close);
    await alice.ccxt.cancelOrder(first.id as string, BTC_SWAP);
    await alice.ccxt.cancelOrder(second.id as string, BTC_SWAP);
  });
}

async function cancels(t: TestContext, { alice, bob }: SwapFixture): Promise<void> {
  const rest = (price: number, params = {}): Promise<Order> =>
    alice.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.01, price, params);

  await t.test("cancelOrder by id, and once more", async () => {
    const order = await rest(58_000);
    const canceled = await alice.ccxt.cancelOrder(order.id as string, BTC_SWAP);
    assert.equal(canceled.id, order.id);
    assert.equal(canceled.clientOrderId, order.clientOrderId);
    assert.equal(canceled.status, "canceled");
    await expectSwapOrder(alice.ccxt, order, { status: "canceled", filled: 0 });
    await assert.rejects(alice.ccxt.cancelOrder(order.id as string, BTC_SWAP), ccxt.InvalidOrder);
  });

  await t.test("cancelOrder by client order id", async () => {
    const order = await rest(58_000, { clientOrderId: "by-client-id-1" });
    assert.equal(order.clientOrderId, "by-client-id-1");
    const canceled = await alice.ccxt.cancelOrderWithClientOrderId("by-client-id-1", BTC_SWAP);
    assert.equal(canceled.id, order.id);
    assert.equal(canceled.clientOrderId, "by-client-id-1");
    await expectSwapOrder(alice.ccxt, order, { status: "canceled", filled: 0 });
  });

  await t.test("cancelOrders by ids and by client order ids", async () => {
    const orders = [await rest(58_001), await rest(58_002), await rest(58_003)];
    const [a, b, c] = orders as [Order, Order, Order];
    const ids = [a.id as string, b.id as string];
    const canceled = (await alice.ccxt.cancelOrders(ids, BTC_SWAP)) as unknown as Order[];
    assert.deepEqual(canceled.map(({ id }) => id).sort(), ids.toSorted());
    await expectSwapOrder(alice.ccxt, a, { status: "canceled", filled: 0 });
    await expectSwapOrder(alice.ccxt, c, { status: "open", filled: 0 });
    await alice.ccxt.cancelOrdersWithClientOrderIds([c.clientOrderId as string], BTC_SWAP);
    await expectSwapOrder(alice.ccxt, c, { status: "canceled", filled: 0 });
    await assert.rejects(alice.ccxt.cancelOrders([c.id as string], BTC_SWAP), ccxt.OrderNotFound);
  });

  await t.test("cancelAllOrders ends one market's orders of one account, or all", async () => {
    const mine = [await rest(58_000), await rest(58_001)];
    const other = await alice.ccxt.createOrder(ETH_SWAP, "limit", "buy", 1, 2900);
    const others = await bob.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.01, 58_000);
    const open = await alice.ccxt.fetchOpenOrders();
    assert.deepEqual(open.map(({ id }) => id).sort(), [...mine, other].map(({ id }) => id).sort());
    assert.deepEqual(new Set(open.map(({ symbol }) => symbol)), new Set([BTC_SWAP, ETH_SWAP]));
    const canceled = (await alice.ccxt.cancelAllOrders(BTC_SWAP)) as Order[];
    assert.deepEqual(canceled.map(({ id }) => id).sort(), mine.map(({ id }) => id).sort());
    assert.deepEqual(await alice.ccxt.fetchOpenOrders(BTC_SWAP), []);
    await expectSwapOrder(alice.ccxt, other, { status: "open", filled: 0 }, ETH_SWAP);
    await expectSwapOrder(bob.ccxt, others, { status: "open", filled: 0 });
    await alice.ccxt.cancelAllOrders();
    assert.deepEqual(await alice.ccxt.fetchOpenOrders(), []);
    await bob.ccxt.cancelAllOrders(BTC_SWAP);
    assert.deepEqual(await alice.ccxt.cancelAllOrders(BTC_SWAP), []);
  });
}

async function retries(t: TestContext, { alice }: SwapFixture): Promise<void> {
  await t.test("a retry with the same client order id gives the first order again", async () => {
    const params = { clientOrderId: "retry-1" };
    const order = (amount: number): Promise<Order> =>
      alice.ccxt.createOrder(BTC_SWAP, "limit", "buy", amount, 58_000, params);
    const first = await order(0.01);
    assert.equal((await order(0.01)).id, first.id);
    assert.equal((await alice.ccxt.fetchOpenOrders(BTC_SWAP)).length, 1);
    await assert.rejects(
      order(0.02),
      (error: Error) => error instanceof ccxt.ExchangeError && error.message.includes("-3203"),
    );
    await alice.ccxt.cancelOrder(first.id as string, BTC_SWAP);
    assert.equal((await order(0.01)).id, first.id);
    assert.deepEqual(await alice.ccxt.fetchOpenOrders(BTC_SWAP), []);
  });
}

export async function swapOrderTests(t: TestContext, fixture: SwapFixture): Promise<void> {
  await limitOrders(t, fixture);
  await marketOrders(t, fixture);
  await closingOrders(t, fixture);
  await cancels(t, fixture);
  await retries(t, fixture);
}
