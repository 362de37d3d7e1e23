/** Every order kind and every way to cancel, through ccxt. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Order, weex } from "ccxt";
import ccxt from "ccxt";
import { BTC, type CcxtFixture, ETH } from "./ccxt-client.ts";

/** The order as the exchange has it now. */
async function reread(client: weex, order: Order): Promise<Order> {
  return client.fetchOrder(order.id as string, order.symbol as string);
}

interface Expected {
  readonly status: "open" | "closed" | "canceled";
  readonly filled: number;
  readonly cost?: number;
}

async function expectOrder(client: weex, order: Order, expected: Expected): Promise<Order> {
  const read = await reread(client, order);
  assert.equal(read.status, expected.status, JSON.stringify(read.info));
  assert.equal(read.filled, expected.filled, JSON.stringify(read.info));
  if (expected.cost !== undefined) assert.equal(read.cost, expected.cost);
  return read;
}

async function limitOrders(t: TestContext, { alice, bob }: CcxtFixture): Promise<void> {
  await t.test("a limit order rests, fills in parts, and is closed when it is full", async () => {
    const sell = await bob.ccxt.createLimitSellOrder(BTC, 0.5, 50_000);
    assert.match(sell.id as string, /^\d+$/);
    assert.match(sell.clientOrderId as string, /^b-WEEX111125-/);
    const resting = await expectOrder(bob.ccxt, sell, { status: "open", filled: 0 });
    assert.equal(resting.side, "sell");
    assert.equal(resting.type, "limit");
    assert.equal(resting.timeInForce, "GTC");
    assert.equal(resting.price, 50_000);
    assert.equal(resting.amount, 0.5);
    assert.equal(resting.remaining, 0.5);
    assert.equal(resting.clientOrderId, sell.clientOrderId);

    const first = await alice.ccxt.createLimitBuyOrder(BTC, 0.2, 50_100);
    await expectOrder(alice.ccxt, first, { status: "closed", filled: 0.2, cost: 10_000 });
    await expectOrder(bob.ccxt, sell, { status: "open", filled: 0.2, cost: 10_000 });
    const second = await alice.ccxt.createLimitOrder(BTC, "buy", 0.3, 50_000);
    await expectOrder(alice.ccxt, second, { status: "closed", filled: 0.3, cost: 15_000 });
    await expectOrder(bob.ccxt, sell, { status: "closed", filled: 0.5, cost: 25_000 });
  });

  await t.test("IOC takes what is there and never rests", async () => {
    const sell = await bob.ccxt.createOrder(BTC, "limit", "sell", 0.1, 50_000);
    const ioc = await alice.ccxt.createOrder(BTC, "limit", "buy", 0.25, 50_000, {
      timeInForce: "IOC",
    });
    const read = await expectOrder(alice.ccxt, ioc, {
      status: "canceled",
      filled: 0.1,
      cost: 5000,
    });
    assert.equal(read.timeInForce, "IOC");
    await expectOrder(bob.ccxt, sell, { status: "closed", filled: 0.1 });
    assert.deepEqual(await alice.ccxt.fetchOpenOrders(BTC), []);
  });

  await t.test("FOK fills whole or not at all", async () => {
    const sell = await bob.ccxt.createOrder(BTC, "limit", "sell", 0.1, 50_000);
    const fok = { timeInForce: "FOK" };
    const tooLarge = await alice.ccxt.createOrder(BTC, "limit", "buy", 0.11, 50_000, fok);
    await expectOrder(alice.ccxt, tooLarge, { status: "canceled", filled: 0 });
    await expectOrder(bob.ccxt, sell, { status: "open", filled: 0 });
    const fits = await alice.ccxt.createOrder(BTC, "limit", "buy", 0.1, 50_000, fok);
    await expectOrder(alice.ccxt, fits, { status: "closed", filled: 0.1, cost: 5000 });
  });

  await t.test("POST_ONLY rests, or ends canceled where it would take", async () => {
    const postOnly = { timeInForce: "POST_ONLY" };
    const sell = await bob.ccxt.createOrder(BTC, "limit", "sell", 0.1, 50_000, postOnly);
    await expectOrder(bob.ccxt, sell, { status: "open", filled: 0 });
    const crossing = await alice.ccxt.createOrder(BTC, "limit", "buy", 0.1, 50_000, postOnly);
    await expectOrder(alice.ccxt, crossing, { status: "canceled", filled: 0 });
    await expectOrder(bob.ccxt, sell, { status: "open", filled: 0 });
    await bob.ccxt.cancelOrder(sell.id as string, BTC);
  });
}

async function marketOrders(t: TestContext, { alice, bob }: CcxtFixture): Promise<void> {
  await t.test("market orders count base quantity in both directions", async () => {
    await bob.ccxt.createOrder(BTC, "limit", "sell", 0.1, 50_000);
    await bob.ccxt.createOrder(BTC, "limit", "sell", 0.1, 50_010);
    const buy = await alice.ccxt.createMarketBuyOrder(BTC, 0.15);
    const bought = await expectOrder(alice.ccxt, buy, {
      status: "closed",
      filled: 0.15,
      cost: 7500.5,
    });
    assert.equal(bought.type, "market");
    assert.equal(bought.timeInForce, "IOC");

    await alice.ccxt.createOrder(BTC, "limit", "buy", 0.2, 49_990);
    const sell = await bob.ccxt.createMarketSellOrder(BTC, 0.05);
    await expectOrder(bob.ccxt, sell, { status: "closed", filled: 0.05, cost: 2499.5 });
    const rest = await bob.ccxt.createMarketOrder(BTC, "sell", 0.15);
    await expectOrder(bob.ccxt, rest, { status: "closed", filled: 0.15, cost: 7498.5 });
    await bob.ccxt.cancelAllOrders(BTC);
    await alice.ccxt.cancelAllOrders(BTC);
  });

  await t.test("a market order on an empty book is accepted and ends canceled", async () => {
    const buy = await alice.ccxt.createOrder(ETH, "market", "buy", 1);
    await expectOrder(alice.ccxt, buy, { status: "canceled", filled: 0 });
  });
}

async function cancels(t: TestContext, { alice, bob }: CcxtFixture): Promise<void> {
  const rest = (price: number, params = {}): Promise<Order> =>
    alice.ccxt.createOrder(BTC, "limit", "buy", 0.01, price, params);

  await t.test("cancelOrder by id, and once more", async () => {
    const order = await rest(40_000);
    const canceled = await alice.ccxt.cancelOrder(order.id as string, BTC);
    assert.equal(canceled.id, order.id);
    assert.equal(canceled.status, "canceled");
    await expectOrder(alice.ccxt, order, { status: "canceled", filled: 0 });
    await assert.rejects(alice.ccxt.cancelOrder(order.id as string, BTC), ccxt.OrderNotFound);
  });

  await t.test("cancelOrder and fetchOrder by client order id", async () => {
    const order = await rest(40_000, { clientOrderId: "by-client-id-1" });
    assert.equal(order.clientOrderId, "by-client-id-1");
    const read = await alice.ccxt.fetchOrderWithClientOrderId("by-client-id-1", BTC);
    assert.equal(read.id, order.id);
    const canceled = await alice.ccxt.cancelOrderWithClientOrderId("by-client-id-1", BTC);
    assert.equal(canceled.clientOrderId, "by-client-id-1");
    await expectOrder(alice.ccxt, order, { status: "canceled", filled: 0 });
    const ended = await alice.ccxt.fetchOrderWithClientOrderId("by-client-id-1", BTC);
    assert.equal(ended.status, "canceled");
  });

  await t.test("cancelOrders by ids and by client order ids", async () => {
    const orders = [await rest(40_001), await rest(40_002), await rest(40_003)];
    const [a, b, c] = orders as [Order, Order, Order];
    const canceled = (await alice.ccxt.cancelOrders(
      [a.id as string, b.id as string],
      BTC,
    )) as unknown as Order[];
    assert.deepEqual(canceled.map(({ id }) => id).sort(), [a.id, b.id].sort());
    await expectOrder(alice.ccxt, a, { status: "canceled", filled: 0 });
    await expectOrder(alice.ccxt, c, { status: "open", filled: 0 });
    await alice.ccxt.cancelOrdersWithClientOrderIds([c.clientOrderId as string], BTC);
    await expectOrder(alice.ccxt, c, { status: "canceled", filled: 0 });
    await assert.rejects(alice.ccxt.cancelOrders([c.id as string], BTC), ccxt.OrderNotFound);
  });

  await t.test("cancelAllOrders ends one market's orders of one account", async () => {
    const mine = [await rest(40_000), await rest(40_001)];
    const other = await alice.ccxt.createOrder(ETH, "limit", "buy", 1, 2000);
    const others = await bob.ccxt.createOrder(BTC, "limit", "buy", 0.01, 40_000);
    const open = await alice.ccxt.fetchOpenOrders();
    assert.deepEqual(open.map(({ id }) => id).sort(), [...mine, other].map(({ id }) => id).sort());
    const canceled = (await alice.ccxt.cancelAllOrders(BTC)) as Order[];
    assert.deepEqual(canceled.map(({ id }) => id).sort(), mine.map(({ id }) => id).sort());
    assert.deepEqual(await alice.ccxt.fetchOpenOrders(BTC), []);
    await expectOrder(alice.ccxt, other, { status: "open", filled: 0 });
    await expectOrder(bob.ccxt, others, { status: "open", filled: 0 });
    await alice.ccxt.cancelAllOrders(ETH);
    await bob.ccxt.cancelAllOrders(BTC);
    assert.deepEqual(await alice.ccxt.cancelAllOrders(BTC), []);
  });
}

async function retries(t: TestContext, { alice }: CcxtFixture): Promise<void> {
  await t.test("a retry with the same client order id gives the first order again", async () => {
    const params = { clientOrderId: "retry-1" };
    const first = await alice.ccxt.createOrder(BTC, "limit", "buy", 0.01, 40_000, params);
    const again = await alice.ccxt.createOrder(BTC, "limit", "buy", 0.01, 40_000, params);
    assert.equal(again.id, first.id);
    assert.equal((await alice.ccxt.fetchOpenOrders(BTC)).length, 1);
    await assert.rejects(
      alice.ccxt.createOrder(BTC, "limit", "buy", 0.02, 40_000, params),
      (error: Error) => error instanceof ccxt.ExchangeError && error.message.includes("-2202"),
    );
    await alice.ccxt.cancelOrder(first.id as string, BTC);
    const ended = await alice.ccxt.createOrder(BTC, "limit", "buy", 0.01, 40_000, params);
    assert.equal(ended.id, first.id);
    assert.deepEqual(await alice.ccxt.fetchOpenOrders(BTC), []);
  });
}

export async function orderTests(t: TestContext, fixture: CcxtFixture): Promise<void> {
  await limitOrders(t, fixture);
  await marketOrders(t, fixture);
  await cancels(t, fixture);
  await retries(t, fixture);
}
