/** Proves that each error reaches a user of ccxt as the client's class for it. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import ccxt, { type weex } from "ccxt";
import { issueKey } from "../support/exchange-setup.ts";
import type { Credentials } from "../support/signed-client.ts";
import { BTC, type CcxtFixture, ccxtClient } from "./ccxt-client.ts";

type ErrorClass = new (...message: [string]) => Error;

/** The class itself, not one above or below it, and the code that the exchange gave. */
async function refused(promise: Promise<unknown>, kind: ErrorClass, code: number): Promise<void> {
  await assert.rejects(promise, (error: Error) => {
    assert.equal(error.constructor, kind, `${error.constructor.name}: ${error.message}`);
    assert.ok(error.message.includes(`"code":${code},`), error.message);
    return true;
  });
}

async function authentication(t: TestContext, fixture: CcxtFixture): Promise<void> {
  const { exchange, alice, called } = fixture;
  const good = alice.account.credentials;
  const withKey = (change: Partial<Credentials>): weex =>
    ccxtClient(exchange, called, { ...good, ...change });

  await t.test("AuthenticationError: key, secret, passphrase", async () => {
    const unknown = withKey({ apiKey: `rialto_${"0".repeat(32)}` });
    await refused(unknown.fetchBalance(), ccxt.AuthenticationError, -1044);
    const badSecret = withKey({ secret: `${good.secret}x` });
    await refused(badSecret.fetchBalance(), ccxt.AuthenticationError, -1047);
    const badPassphrase = withKey({ passphrase: "wrong" });
    await refused(badPassphrase.fetchBalance(), ccxt.AuthenticationError, -1049);
  });

  await t.test("PermissionDenied: a key that may read but not trade, another address", async () => {
    const reader = withKey(await issueKey(exchange, alice.account.uid, ["read"]));
    await reader.fetchBalance();
    await refused(
      reader.createOrder(BTC, "limit", "buy", 0.01, 40_000),
      ccxt.PermissionDenied,
      -1052,
    );
    const elsewhere = withKey(
      await issueKey(exchange, alice.account.uid, ["read", "spot"], ["192.0.2.1"]),
    );
    await refused(elsewhere.fetchBalance(), ccxt.PermissionDenied, -1056);
  });
}

async function requests(t: TestContext, { alice, bob, anonymous }: CcxtFixture): Promise<void> {
  const order = (params: object): Promise<unknown> =>
    alice.ccxt.createOrder(BTC, "limit", "buy", 0.01, 40_000, params);

  await t.test("BadSymbol", async () => {
    const unknown = { symbol: "NOPEUSDT" };
    await refused(anonymous.fetchOrderBook(BTC, undefined, unknown), ccxt.BadSymbol, -1121);
    await refused(order(unknown), ccxt.BadSymbol, -1121);
    await assert.rejects(anonymous.fetchTicker("NOPE/USDT"), ccxt.BadSymbol);
  });

  await t.test("InsufficientFunds", async () => {
    await refused(
      alice.ccxt.createOrder(BTC, "limit", "buy", 5000, 40_000),
      ccxt.InsufficientFunds,
      -2201,
    );
    await refused(
      alice.ccxt.createOrder(BTC, "limit", "sell", 5000, 60_000),
      ccxt.InsufficientFunds,
      -2201,
    );
  });

  await t.test("OrderNotFound: no such order, somebody else's order", async () => {
    await refused(alice.ccxt.fetchOrder("1234567890", BTC), ccxt.OrderNotFound, -2200);
    await refused(alice.ccxt.cancelOrder("1234567890", BTC), ccxt.OrderNotFound, -2200);
    const theirs = await bob.ccxt.createOrder(BTC, "limit", "buy", 0.01, 40_000);
    await refused(alice.ccxt.fetchOrder(theirs.id as string, BTC), ccxt.OrderNotFound, -2200);
    await refused(alice.ccxt.cancelOrder(theirs.id as string, BTC), ccxt.OrderNotFound, -2200);
    assert.equal((await bob.ccxt.fetchOrder(theirs.id as string, BTC)).status, "open");
    await bob.ccxt.cancelOrder(theirs.id as string, BTC);
  });

  await t.test("InvalidOrder: time in force, type, side, client order id", async () => {
    await refused(order({ timeInForce: "GTX" }), ccxt.InvalidOrder, -1115);
    await refused(order({ type: "STOP" }), ccxt.InvalidOrder, -1116);
    await refused(order({ side: "HOLD" }), ccxt.InvalidOrder, -1117);
    await refused(order({ clientOrderId: "x".repeat(41) }), ccxt.InvalidOrder, -1180);
    await refused(order({ clientOrderId: "no spaces" }), ccxt.InvalidOrder, -1180);
  });

  await t.test("BadRequest: off the grid, malformed, out of bounds", async () => {
    await refused(order({ price: "40000.001" }), ccxt.BadRequest, -1160);
    await refused(order({ quantity: "0.010001" }), ccxt.BadRequest, -1160);
    await refused(
      anonymous.fetchTrades(BTC, undefined, undefined, { limit: 1001 }),
      ccxt.BadRequest,
      -1140,
    );
    await refused(
      alice.ccxt.fetchOrders(BTC, 2_000_000_000_000, undefined, { until: 1_900_000_000_000 }),
      ccxt.BadRequest,
      -1171,
    );
  });

  await t.test("limits of the market", async () => {
    // The client has no class for these codes, so that a user sees the base class.
    await refused(order({ quantity: "0.00009" }), ccxt.ExchangeError, -2204);
    await refused(order({ price: "0.01", quantity: "0.001" }), ccxt.ExchangeError, -2204);
    await refused(order({ quantity: "9000.00001" }), ccxt.ExchangeError, -2205);
    await refused(order({ price: "90000" }), ccxt.ExchangeError, -2203);
  });
}

export async function errorTests(t: TestContext, fixture: CcxtFixture): Promise<void> {
  await authentication(t, fixture);
  await requests(t, fixture);
}
