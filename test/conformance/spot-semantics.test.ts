/**
 * Proves what the four endpoints do, not only how they look: freezes, fees, price improvement,
 * times in force, market orders by quote amount, cancels, idempotent client order ids, bands,
 * market states and self-trade prevention. Balances are compared as text with exact figures worked
 * out by hand.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { type CancelResult, dataOf, type PlaceOrderBody } from "../support/signed-client.ts";
import { assertRefused } from "../support/v2-answers.ts";

interface Fixture {
  readonly exchange: ExchangeProcess;
  readonly maker: Account;
  readonly taker: Account;
}

let orders = 0;

function limit(
  side: "buy" | "sell",
  quantity: string,
  price: string,
  force = "normal",
  symbol = "BTCUSDT",
): PlaceOrderBody {
  orders++;
  const clientOrderId = `semantics-${orders}`;
  return { symbol, side, orderType: "limit", force, price, quantity, clientOrderId };
}

function market(side: "buy" | "sell", quantity: string, symbol = "BTCUSDT"): PlaceOrderBody {
  orders++;
  const clientOrderId = `semantics-${orders}`;
  return {
    symbol,
    side,
    orderType: "market",
    force: "normal",
    price: "0",
    quantity,
    clientOrderId,
  };
}

async function holds(account: Account, expected: Record<string, [string, string]>): Promise<void> {
  const assets = await account.client.assets();
  for (const [coin, [available, frozen]] of Object.entries(expected)) {
    const row = assets.get(coin);
    assert.deepEqual([row?.available ?? "0", row?.frozen ?? "0"], [available, frozen], coin);
  }
}

interface OrderRow {
  readonly status: string;
  readonly executedQty: string;
  readonly cummulativeQuoteQty: string;
}

async function ended(account: Account, orderId: number): Promise<[string, string, string]> {
  const row = await account.client.v3<OrderRow>("/api/v3/order", { orderId });
  return [row.status, row.executedQty, row.cummulativeQuoteQty];
}

async function fresh(exchange: ExchangeProcess): Promise<Fixture> {
  const maker = await openAccount(exchange, { BTC: "2", USDT: "200000", ETH: "10" });
  const taker = await openAccount(exchange, { BTC: "2", USDT: "200000", ETH: "10" });
  return { exchange, maker, taker };
}

async function moneyTests(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  await t.test("freezes, fees from the asset received, price improvement released", async () => {
    const { maker, taker } = await fresh(exchange);
    const resting = await maker.client.placed(limit("sell", "0.30000", "30000.50"));
    await holds(maker, { BTC: ["1.7", "0.3"], USDT: ["200000", "0"] });
    const buying = await taker.client.placed(limit("buy", "0.5", "31000.00"));
    // 0.3 at 30000.50 is 9000.15, and 0.2 × 31000 stays frozen. Fees are 0.1 % of what each
    // received: 0.3 BTC and 9000.15 USDT.
    await holds(taker, { BTC: ["2.2997", "0"], USDT: ["184799.85", "6200"] });
    await holds(maker, { BTC: ["1.7", "0"], USDT: ["208991.14985", "0"] });
    assert.deepEqual(await ended(maker, resting), ["FILLED", "0.3", "9000.15"]);
    assert.deepEqual(await ended(taker, buying), ["NEW", "0.3", "9000.15"]);
    await taker.client.cancelled({ symbol: "BTCUSDT", orderId: String(buying) });
    await holds(taker, { BTC: ["2.2997", "0"], USDT: ["190999.85", "0"] });
    assert.deepEqual(await ended(taker, buying), ["CANCELED", "0.3", "9000.15"]);
  });

  await t.test("a fee is rounded up once per order, however many fills it has", async () => {
    const { maker, taker } = await fresh(exchange);
    for (const price of ["30000.01", "30000.02", "30000.03"]) {
      await maker.client.placed(limit("sell", "0.00101", price));
    }
    await taker.client.placed(limit("buy", "0.00303", "30000.03"));
    // One order, three fills: its fee is 0.00000303 BTC and not three times a rounding.
    await holds(taker, { BTC: ["2.00302697", "0"], USDT: ["199909.0999394", "0"] });
    // Three orders: 0.03030002 + 0.03030003 + 0.03030004 USDT, each rounded up.
    await holds(maker, { BTC: ["1.99697", "0"], USDT: ["200090.80916051", "0"] });
  });

  await t.test("market buy spends a quote amount, what cannot buy a lot is released", async () => {
    const { maker, taker } = await fresh(exchange);
    await maker.client.placed(limit("sell", "0.001", "30000"));
    await maker.client.placed(limit("sell", "1", "30003"));
    const orderId = await taker.client.placed(market("buy", "100"));
    // 30 buys 0.001; 70 / 30003 is 0.00233 and 69.90699 spent; 0.09301 is released.
    const [, executed, spent] = await ended(taker, orderId);
    assert.deepEqual([executed, spent], ["0.00333", "99.90699"]);
    await holds(taker, { BTC: ["2.00332667", "0"], USDT: ["199900.09301", "0"] });
    const selling = await taker.client.placed(market("sell", "0.00333"));
    assert.deepEqual(await ended(taker, selling), ["CANCELED", "0", "0"]);
    assertRefused(await taker.client.place(market("buy", "0.5")), "45110");
    assertRefused(await taker.client.place(market("buy", "500000")), "43012");
    assertRefused(await taker.client.place(market("sell", "3")), "43012");
    await maker.client.delete("/api/v3/openOrders", { symbol: "BTCUSDT" });
  });
}

async function forceTests(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  await t.test("postOnly that would take, ioc and fok end canceled and release all", async () => {
    const { maker, taker } = await fresh(exchange);
    await maker.client.placed(limit("sell", "0.1", "30000"));
    const postOnly = await taker.client.placed(limit("buy", "0.1", "30000", "postOnly"));
    assert.deepEqual(await ended(taker, postOnly), ["CANCELED", "0", "0"]);
    const fok = await taker.client.placed(limit("buy", "0.10001", "30000", "fok"));
    assert.deepEqual(await ended(taker, fok), ["CANCELED", "0", "0"]);
    await holds(taker, { BTC: ["2", "0"], USDT: ["200000", "0"] });
    const ioc = await taker.client.placed(limit("buy", "0.4", "30000", "ioc"));
    assert.deepEqual(await ended(taker, ioc), ["CANCELED", "0.1", "3000"]);
    await holds(taker, { BTC: ["2.0999", "0"], USDT: ["197000", "0"] });
    const rests = await taker.client.placed(limit("buy", "0.1", "29999.99", "postOnly"));
    assert.deepEqual(await ended(taker, rests), ["NEW", "0", "0"]);
    const whole = await maker.client.placed(limit("sell", "0.1", "29999.99", "fok"));
    assert.deepEqual(await ended(maker, whole), ["FILLED", "0.1", "2999.999"]);
  });

  await t.test("orders of one price fill in order of arrival", async () => {
    const { maker, taker } = await fresh(exchange);
    const first = await maker.client.placed(limit("sell", "0.01", "30000"));
    const second = await maker.client.placed(limit("sell", "0.01", "30000"));
    const better = await maker.client.placed(limit("sell", "0.01", "29999"));
    await taker.client.placed(limit("buy", "0.015", "30000", "ioc"));
    assert.deepEqual(await ended(maker, better), ["FILLED", "0.01", "299.99"]);
    assert.deepEqual(await ended(maker, first), ["NEW", "0.005", "150"]);
    assert.deepEqual(await ended(maker, second), ["NEW", "0", "0"]);
    await maker.client.delete("/api/v3/openOrders", { symbol: "BTCUSDT" });
  });
}

async function cancelTests(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  const { maker, taker } = await fresh(exchange);

  await t.test("cancel twice, cancel a filled order: result false, nothing changes", async () => {
    const orderId = String(await maker.client.placed(limit("buy", "0.1", "20000")));
    const first = await maker.client.cancelled({ symbol: "BTCUSDT", orderId });
    assert.equal(first.result, true);
    const hash = await exchange.operator.stateHash();
    const again = await maker.client.cancelled({ symbol: "BTCUSDT", orderId });
    assert.equal(again.result, false);
    const filled = String(await maker.client.placed(limit("sell", "0.01", "30000")));
    await taker.client.placed(limit("buy", "0.01", "30000"));
    assert.notEqual(await exchange.operator.stateHash(), hash);
    assert.equal(
      (await maker.client.cancelled({ symbol: "BTCUSDT", orderId: filled })).result,
      false,
    );
  });

  await t.test("somebody else's order is no order", async () => {
    const order = limit("buy", "0.1", "20000");
    const orderId = String(await maker.client.placed(order));
    const hash = await exchange.operator.stateHash();
    const anonymised = ({ order_id, client_oid, ...rest }: CancelResult): object => ({
      ...rest,
      order_id: typeof order_id,
      client_oid: client_oid === null ? null : typeof client_oid,
    });
    for (const [theirs, none] of [
      [{ orderId }, { orderId: "900000000" }],
      [{ clientOid: order.clientOrderId }, { clientOid: "no-such-client-id" }],
    ] as const) {
      const answer = await taker.client.cancelled({ symbol: "BTCUSDT", ...theirs });
      const reference = await taker.client.cancelled({ symbol: "BTCUSDT", ...none });
      assert.equal(answer.result, false);
      assert.deepEqual(anonymised(answer), anonymised(reference));
    }
    // The right owner, the wrong market.
    const elsewhere = await maker.client.cancelled({ symbol: "ETHUSDT", orderId });
    assert.equal(elsewhere.result, false);
    assert.equal(await exchange.operator.stateHash(), hash);
    assert.equal((await maker.client.cancelled({ symbol: "BTCUSDT", orderId })).result, true);
  });
}

async function idempotencyTests(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  await t.test("clientOrderId: retry, another payload, after the end, after 24 h", async () => {
    const { maker, taker } = await fresh(exchange);
    const order = limit("buy", "0.1", "20000");
    const answer = await maker.client.place(order);
    const first = dataOf<{ orderId: number; clientOrderId: string }>(answer, "Place Order");
    const hash = await exchange.operator.stateHash();
    const again = dataOf<object>(await maker.client.place(order), "Place Order again");
    assert.deepEqual(again, first);
    for (const change of [
      { quantity: "0.2" },
      { price: "20001" },
      { side: "sell", price: "40000" },
      { force: "postOnly" },
      { orderType: "market" },
      { symbol: "ETHUSDT" },
    ]) {
      assertRefused(await maker.client.place({ ...order, ...change }), "40017");
    }
    // The same amounts in other words are the same payload.
    const reworded = { ...order, symbol: "btcusdt_spbl", side: "BUY", price: "20000.00" };
    assert.equal(await maker.client.placed(reworded), first.orderId);
    assert.equal(await exchange.operator.stateHash(), hash);
    // Ids belong to an account, not to the exchange.
    assert.notEqual(await taker.client.placed(order), first.orderId);

    await maker.client.cancelled({ symbol: "BTCUSDT", clientOid: order.clientOrderId });
    assert.equal(await maker.client.placed(order), first.orderId);
    assertRefused(await maker.client.place({ ...order, quantity: "0.2" }), "40017");
    await holds(maker, { USDT: ["200000", "0"] });
    await exchange.operator.advanceClock(24 * 3_600_000 + 1000);
    const anew = await maker.client.placed(order);
    assert.notEqual(anew, first.orderId);
    await holds(maker, { USDT: ["198000", "2000"] });
    // An id of an open order is remembered however old the order is.
    assert.equal(await taker.client.placed(order), await taker.client.placed(order));
    for (const { client } of [maker, taker]) {
      await client.delete("/api/v3/openOrders", { symbol: "BTCUSDT" });
    }
  });

  await t.test("a refused order leaves no trace and does not take its client id", async () => {
    const { maker } = await fresh(exchange);
    const order = limit("buy", "0.1", "20000");
    const before = await exchange.operator.invariants();
    assertRefused(await maker.client.place({ ...order, quantity: "100" }), "43012");
    assertRefused(await maker.client.place({ ...order, price: "20000.001" }), "40020");
    assert.deepEqual(await exchange.operator.invariants(), before);
    await maker.client.placed(order);
    await maker.client.delete("/api/v3/openOrders", { symbol: "BTCUSDT" });
  });
}

async function concurrencyTests(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  await t.test("the same order sent many times at once is one order", async () => {
    const { maker } = await fresh(exchange);
    const order = limit("buy", "0.1", "20000");
    const ids = await Promise.all(Array.from({ length: 30 }, () => maker.client.placed(order)));
    assert.equal(new Set(ids).size, 1);
    await holds(maker, { USDT: ["198000", "2000"] });
    const cancels = await Promise.all(
      Array.from({ length: 30 }, () =>
        maker.client.cancelled({ symbol: "BTCUSDT", clientOid: order.clientOrderId }),
      ),
    );
    assert.equal(cancels.filter(({ result }) => result).length, 1);
    await holds(maker, { USDT: ["200000", "0"] });
  });

  await t.test("many orders at once never spend more than there is", async () => {
    const { maker } = await fresh(exchange);
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => maker.client.place(limit("buy", "1", "19999"))),
    );
    const accepted = answers.filter(({ status }) => status === 200).length;
    assert.equal(accepted, 10);
    for (const answer of answers) if (answer.status !== 200) assertRefused(answer, "43012");
    await holds(maker, { USDT: ["10", "199990"] });
    await maker.client.delete("/api/v3/openOrders", { symbol: "BTCUSDT" });
  });
}

async function marketRuleTests(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  const { maker, taker } = await fresh(exchange);
  const state = (value: string): Promise<unknown> =>
    exchange.operator.call("PATCH", "/operator/v1/markets/spot/ETHUSDT", { state: value });

  await t.test("price band around the last price, inclusive", async () => {
    await maker.client.placed(limit("sell", "0.01", "30000"));
    await taker.client.placed(limit("buy", "0.01", "30000"));
    assertRefused(await taker.client.place(limit("buy", "0.01", "45000.01")), "43011");
    assertRefused(await maker.client.place(limit("sell", "0.01", "14999.99")), "43011");
    const high = await taker.client.placed(limit("buy", "0.01", "45000"));
    await taker.client.cancelled({ symbol: "BTCUSDT", orderId: String(high) });
    const low = await maker.client.placed(limit("sell", "0.01", "15000"));
    await maker.client.cancelled({ symbol: "BTCUSDT", orderId: String(low) });
    // A far sell above and a far buy below are nobody's harm.
    await maker.client.placed(limit("sell", "0.01", "90000"));
    await taker.client.placed(limit("buy", "0.01", "1000"));
    for (const { client } of [maker, taker]) {
      await client.delete("/api/v3/openOrders", { symbol: "BTCUSDT" });
    }
  });

  await t.test("cancel-only takes cancels but no orders; halted takes neither", async () => {
    const orderId = String(
      await maker.client.placed(limit("buy", "1", "2000", "normal", "ETHUSDT")),
    );
    const other = String(await maker.client.placed(limit("buy", "1", "2000", "normal", "ETHUSDT")));
    await state("cancel-only");
    const refused = await taker.client.place(limit("sell", "1", "2000", "normal", "ETHUSDT"));
    assert.equal(refused.status, 400, refused.text);
    assert.equal((await maker.client.cancelled({ symbol: "ETHUSDT", orderId })).result, true);
    await state("halted");
    const halted = await taker.client.place(limit("sell", "1", "2000", "normal", "ETHUSDT"));
    assert.equal(halted.status, 400, halted.text);
    const kept = await maker.client.cancelled({ symbol: "ETHUSDT", orderId: other });
    assert.equal(kept.result, false);
    await state("trading");
    assert.equal(
      (await maker.client.cancelled({ symbol: "ETHUSDT", orderId: other })).result,
      true,
    );
  });
}

async function selfTradeTests(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  const expectations = [
    ["NONE", ["FILLED", "0.01", "300"], ["FILLED", "0.01", "300"]],
    ["EXPIRE_TAKER", ["NEW", "0", "0"], ["CANCELED", "0", "0"]],
    ["EXPIRE_MAKER", ["CANCELED", "0", "0"], ["NEW", "0", "0"]],
    ["EXPIRE_BOTH", ["CANCELED", "0", "0"], ["CANCELED", "0", "0"]],
  ] as const;
  for (const [mode, resting, incoming] of expectations) {
    await t.test(`self-trade prevention ${mode}`, async () => {
      const { maker } = await fresh(exchange);
      if (mode !== "NONE") {
        const change = { selfTradePrevention: mode };
        await exchange.operator.call("PATCH", `/operator/v1/users/${maker.uid}`, change);
      }
      const first = await maker.client.placed(limit("sell", "0.01", "30000"));
      const second = await maker.client.placed(limit("buy", "0.01", "30000"));
      assert.deepEqual(await ended(maker, first), resting);
      assert.deepEqual(await ended(maker, second), incoming);
      await maker.client.delete("/api/v3/openOrders", { symbol: "BTCUSDT" });
    });
  }
}

async function ownFeeRateTest(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  await t.test("a user's own fee rates hold for orders placed afterwards", async () => {
    const { maker, taker } = await fresh(exchange);
    await maker.client.placed(limit("sell", "0.1", "30000"));
    const rates = { product: "spot", symbol: "BTCUSDT", makerFeeRate: "0", takerFeeRate: "0.0002" };
    for (const { uid } of [maker, taker]) {
      await exchange.operator.call("PUT", `/operator/v1/users/${uid}/fee-rates`, rates);
    }
    await maker.client.placed(limit("sell", "0.1", "30001"));
    await taker.client.placed(limit("buy", "0.2", "30001"));
    // Maker: 0.1 % of 3000 for the older order, nothing of 3000.1. Taker: 0.02 % of 0.2 BTC.
    await holds(maker, { BTC: ["1.8", "0"], USDT: ["205997.1", "0"] });
    await holds(taker, { BTC: ["2.19996", "0"], USDT: ["193999.9", "0"] });
  });
}

async function frozenUserTest(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  await t.test("a frozen user may not trade", async () => {
    const { maker } = await fresh(exchange);
    const path = `/operator/v1/users/${maker.uid}`;
    await exchange.operator.call("PATCH", path, { state: "frozen" });
    assertRefused(await maker.client.place(limit("buy", "0.1", "20000")), "40013");
    await exchange.operator.call("PATCH", path, { state: "active" });
    const orderId = await maker.client.placed(limit("buy", "0.1", "20000"));
    await maker.client.cancelled({ symbol: "BTCUSDT", orderId: String(orderId) });
  });
}

test("what the spot endpoints do", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared", threads: "many" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  await moneyTests(t, exchange);
  await forceTests(t, exchange);
  await cancelTests(t, exchange);
  await idempotencyTests(t, exchange);
  await concurrencyTests(t, exchange);
  await marketRuleTests(t, exchange);
  await selfTradeTests(t, exchange);
  await ownFeeRateTest(t, exchange);
  await frozenUserTest(t, exchange);
  const { ok, violations } = await exchange.operator.invariants();
  assert.equal(ok, true, violations.join("; "));
});
