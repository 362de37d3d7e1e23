/**
 * Proves that each error of a contract call reaches a user of ccxt as the client's class for it.
 */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import ccxt, { type Order } from "ccxt";
import { issueKey } from "../support/exchange-setup.ts";
import { BTC_SWAP, ccxtClient, ETH_SWAP } from "./ccxt-client.ts";
import type { SwapFixture } from "./ccxt-swap-fixture.ts";

type ErrorClass = new (...message: [string]) => Error;

async function refused(promise: Promise<unknown>, kind: ErrorClass, code: number): Promise<void> {
  await assert.rejects(promise, (error: Error) => {
    assert.equal(error.constructor, kind, `${error.constructor.name}: ${error.message}`);
    assert.ok(error.message.includes(`"code":${code},`), error.message);
    return true;
  });
}

async function permissions(
  t: TestContext,
  { exchange, alice, called }: SwapFixture,
): Promise<void> {
  await t.test("a key for spot alone neither reads nor trades contracts", async () => {
    const key = await issueKey(exchange, alice.account.uid, ["spot"]);
    const spotOnly = ccxtClient(exchange, called, key, "swap");
    await refused(spotOnly.fetchBalance(), ccxt.PermissionDenied, -1052);
    const order = spotOnly.createOrder(BTC_SWAP, "limit", "buy", 0.01, 59_000);
    await refused(order, ccxt.PermissionDenied, -1052);
  });
}

async function orders(t: TestContext, { alice, bob }: SwapFixture): Promise<void> {
  const order = (params: object, amount = 0.01, price = 59_000): Promise<Order> =>
    alice.ccxt.createOrder(BTC_SWAP, "limit", "buy", amount, price, params);

  await t.test("BadSymbol, InsufficientFunds", async () => {
    await refused(order({ symbol: "NOPEUSDT" }), ccxt.BadSymbol, -1121);
    await refused(order({}, 400, 59_000), ccxt.InsufficientFunds, -3201);
  });

  await t.test(
    "InvalidOrder: form, size, an order that is not there or not one's own",
    async () => {
      await refused(order({ timeInForce: "GTX" }), ccxt.InvalidOrder, -1115);
      await refused(order({ type: "ICEBERG" }), ccxt.InvalidOrder, -1116);
      await refused(order({ side: "HOLD" }), ccxt.InvalidOrder, -1117);
      await refused(order({ clientOrderId: "no spaces" }), ccxt.InvalidOrder, -1180);
      await refused(order({ quantity: "1000.001" }), ccxt.InvalidOrder, -3007);
      await refused(alice.ccxt.fetchOrder("1234567890", BTC_SWAP), ccxt.InvalidOrder, -3200);
      const theirs = await bob.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.01, 58_000);
      const id = theirs.id as string;
      await refused(alice.ccxt.fetchOrder(id, BTC_SWAP), ccxt.InvalidOrder, -3200);
      await refused(alice.ccxt.cancelOrder(id, BTC_SWAP), ccxt.InvalidOrder, -3200);
      assert.equal((await bob.ccxt.fetchOrder(id, BTC_SWAP)).status, "open");
      await bob.ccxt.cancelOrder(id, BTC_SWAP);
    },
  );

  await t.test("BadRequest: off the grid, malformed, missing", async () => {
    await refused(order({ price: "59000.01" }), ccxt.BadRequest, -1160);
    await refused(order({ quantity: "0.0101" }), ccxt.BadRequest, -1160);
    await refused(order({ quantity: "1e-2" }), ccxt.BadRequest, -1140);
    await refused(order({ positionSide: "BOTH" }), ccxt.BadRequest, -1140);
    await refused(order({ newClientOrderId: "" }), ccxt.BadRequest, -1140);
  });

  await t.test("limits of the market", async () => {
    // The client has no class for these codes, so that a user sees the base class.
    await refused(order({ price: "63000.1" }), ccxt.ExchangeError, -3204);
    await refused(order({ quantity: "0" }), ccxt.ExchangeError, -3205);
    const nothing = alice.ccxt.createReduceOnlyOrder(ETH_SWAP, "limit", "sell", 1, 3000);
    await refused(nothing, ccxt.ExchangeError, -3202);
  });
}

async function ranges(t: TestContext, { alice }: SwapFixture): Promise<void> {
  await t.test("BadRequest: bounds of lists", async () => {
    const [since, until] = [2_000_000_000_000, 1_900_000_000_000];
    const history = (params: object, from?: number, limit?: number): Promise<Order[]> =>
      alice.ccxt.fetchCanceledAndClosedOrders(BTC_SWAP, from, limit, params);
    await refused(history({ until }, since), ccxt.BadRequest, -1171);
    const tooWide = { until: 90 * 86_400_000 + 1_000_000_001 };
    await refused(history(tooWide, 1_000_000_000), ccxt.BadRequest, -1170);
    await refused(history({}, undefined, 1001), ccxt.BadRequest, -1140);
    const trades = alice.ccxt.fetchMyTrades(BTC_SWAP, undefined, 101);
    await refused(trades, ccxt.BadRequest, -1140);
  });
}

export async function swapErrorTests(t: TestContext, fixture: SwapFixture): Promise<void> {
  await permissions(t, fixture);
  await orders(t, fixture);
  await ranges(t, fixture);
}
