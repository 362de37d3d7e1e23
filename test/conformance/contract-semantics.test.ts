/**
 * Proves rules of contract orders and positions that no shape shows, over HTTP: first in, first out
 * on separated positions; the newest closing orders give way; closes that would leave a debt do not
 * happen; orders that would be due at birth are refused; tiers and limits; trailing stops; the
 * ticker of version 2; what a halted market and a frozen user may do; and that all of it is there
 * after the process was killed.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { assertRefused } from "../support/contract-answers.ts";
import {
  BTC_CONTRACT,
  listContract,
  openContractAccount,
  pinMark,
  setIndex,
} from "../support/contract-setup.ts";
import {
  BUY_LONG,
  BUY_SHORT,
  done,
  endedAlgosOf,
  fillsOf,
  isolate,
  openAlgosOf,
  openBoth,
  orderBody,
  orderOf,
  place,
  positionOf,
  positionsOf,
  SELL_LONG,
  SYMBOL,
  walletOf,
} from "../support/contract-trading.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets } from "../support/exchange-setup.ts";
import { SignedClient } from "../support/signed-client.ts";

interface Fixture {
  readonly exchange: ExchangeProcess;
  /** Has enough for every scenario; takes the other side. */
  readonly maker: Account;
}

const CONTRACT_ORDER = "/capi/v3/order";

async function separated(t: TestContext, { exchange, maker }: Fixture): Promise<void> {
  await t.test("separated positions close first in, first out, in one trade row", async () => {
    const alice = await openContractAccount(exchange, "10000");
    const settings = { symbol: SYMBOL, marginType: "ISOLATED", separatedType: "SEPARATED" };
    await done(alice, "account/marginType", settings);
    await openBoth(alice, maker, "0.1", "60000");
    await openBoth(alice, maker, "0.2", "60010");
    await place(maker, BUY_SHORT, "0.15", "61000");
    const order = await place(alice, SELL_LONG, "0.15", null);
    const [fill] = await fillsOf(alice);
    assert.equal(fill?.orderId, order);
    // 0.1 × 1,000 and 0.05 × 990.
    assert.deepEqual([fill?.realizedPnl, fill?.qty], ["149.5", "0.15"]);
    assert.equal((await positionOf(alice)).size, "0.15");
    await place(maker, BUY_SHORT, "0.15", "60000");
    await done(alice, "closePositions", {});
    assert.deepEqual(await positionsOf(alice), []);
  });
}

async function trimming(t: TestContext, { exchange, maker }: Fixture): Promise<void> {
  await t.test("when the position shrinks otherwise, the newest closing orders go", async () => {
    const alice = await openContractAccount(exchange, "10000");
    await openBoth(alice, maker, "1", "60000");
    const older = await place(alice, SELL_LONG, "0.4", "62000");
    const newer = await place(alice, SELL_LONG, "0.6", "61000");
    const body = orderBody(SELL_LONG, "0.001", "62000");
    assertRefused(await alice.client.post(CONTRACT_ORDER, body), -3202);
    await place(maker, BUY_SHORT, "0.5", "60000");
    await done(alice, "closePositions", { symbol: SYMBOL });
    assert.equal((await positionOf(alice)).size, "0.5");
    assert.equal((await orderOf(alice, older)).status, "NEW");
    assert.equal((await orderOf(alice, newer)).status, "CANCELED");
    await place(maker, BUY_SHORT, "0.5", "60000");
    await done(alice, "closePositions", { symbol: SYMBOL });
    assert.equal((await orderOf(alice, older)).status, "CANCELED");
  });
}

async function debts(t: TestContext, { exchange, maker }: Fixture): Promise<void> {
  await t.test(
    "a close that would leave a debt does not happen, as taker or as maker",
    async () => {
      const alice = await openContractAccount(exchange, "3050");
      await isolate(alice, 20);
      await openBoth(alice, maker, "1", "60000");
      assert.equal((await walletOf(alice)).availableBalance, "2");
      const bid = await place(maker, BUY_SHORT, "1", "57000");
      const taker = await place(alice, SELL_LONG, "1", "57000");
      const ended = await orderOf(alice, taker);
      assert.deepEqual([ended.status, ended.executedQty], ["CANCELED", "0"]);
      assert.equal((await positionOf(alice)).size, "1");
      await maker.client.delete(CONTRACT_ORDER, { orderId: bid });
      const resting = await place(alice, SELL_LONG, "1", "57000");
      const other = await place(maker, BUY_SHORT, "1", "57000", { timeInForce: "IOC" });
      assert.equal((await orderOf(alice, resting)).status, "CANCELED");
      assert.equal((await orderOf(maker, other)).executedQty, "0");
      await place(maker, BUY_SHORT, "1", "60000");
      await place(alice, SELL_LONG, "1", null);
      assert.deepEqual(await positionsOf(alice), []);
    },
  );
}

async function openings(t: TestContext, { exchange }: Fixture): Promise<void> {
  const alice = await openContractAccount(exchange, "100000");
  const refused = async (quantity: string, price: string | null, code: number): Promise<void> => {
    const body = orderBody(BUY_LONG, quantity, price);
    assertRefused(await alice.client.post(CONTRACT_ORDER, body), code);
  };
  await t.test("an order that would be due at birth is refused", async () => {
    await isolate(alice, 100);
    // 60,300 / 100 − 300 is less than 0.58 % of 60,000; 59,900 / 100 + 100 is more.
    await refused("1", "60300", -3201);
    await alice.client.delete(CONTRACT_ORDER, {
      orderId: await place(alice, BUY_LONG, "1", "59900"),
    });
  });

  await t.test("the tier of the position that it would make limits the leverage", async () => {
    // 17 × 60,000 is above the first tier, in which alone leverage 100 is allowed.
    await refused("17", "59000", -3313);
    const orderId = await place(alice, BUY_LONG, "16", "59000");
    await refused("1", "59000", -3313);
    await alice.client.delete(CONTRACT_ORDER, { orderId });
  });

  await t.test("sizes: of an order, of a market order that opens, of the position", async () => {
    await refused("1000.001", "59000", -3007);
    await refused("500.001", null, -3007);
    const narrow = { ...BTC_CONTRACT, maxPositionSize: "2" };
    await listContract(exchange, SYMBOL, narrow);
    const orderId = await place(alice, BUY_LONG, "1.5", "59000");
    await refused("0.501", "59000", -3206);
    await alice.client.delete(CONTRACT_ORDER, { orderId });
    await listContract(exchange, SYMBOL, BTC_CONTRACT);
  });

  await t.test("a market order against an empty book ends without a fill", async () => {
    const before = await walletOf(alice);
    const order = await orderOf(alice, await place(alice, BUY_LONG, "1", null));
    assert.deepEqual([order.status, order.executedQty], ["CANCELED", "0"]);
    assert.deepEqual(await walletOf(alice), before);
  });
}

async function trailing(t: TestContext, { exchange, maker }: Fixture): Promise<void> {
  await t.test("a trailing stop follows the best price and fires behind it", async () => {
    const alice = await openContractAccount(exchange, "10000");
    await openBoth(alice, maker, "0.1", "60000");
    const other = await openContractAccount(exchange, "100000");
    const trade = (price: string): Promise<void> => openBoth(other, maker, "0.001", price);
    const stop = {
      symbol: SYMBOL,
      ...SELL_LONG,
      type: "TRAILING_STOP_MARKET",
      quantity: "0.1",
      callbackRate: "1",
    };
    const refused = { ...stop, clientAlgoId: "trailing-reached", activationPrice: "60000" };
    assertRefused(await alice.client.post("/capi/v3/algoOrder", refused), -3207);
    for (const callbackRate of ["0.09", "10.1"]) {
      const body = { ...stop, callbackRate, clientAlgoId: "trailing-rate" };
      assertRefused(await alice.client.post("/capi/v3/algoOrder", body), -1140);
    }
    const activationPrice = "60500";
    await done(alice, "algoOrder", { ...stop, clientAlgoId: "trailing", activationPrice });
    const level = async (): Promise<string | undefined> =>
      (await openAlgosOf(alice))[0]?.triggerPrice;
    assert.equal(await level(), "0");
    await trade("60499.9");
    assert.equal(await level(), "0");
    await trade("60600.5");
    // 60,600.5 × 0.99 is 59,994.495.
    assert.equal(await level(), "59994.4");
    await trade("60100");
    assert.equal(await level(), "59994.4");
    await place(maker, BUY_SHORT, "0.1", "59990");
    await trade("59994.4");
    assert.deepEqual(await positionsOf(alice), []);
    const [row] = await endedAlgosOf(alice);
    assert.deepEqual([row?.algoStatus, row?.actualPrice], ["FILLED", "59990"]);
    await trade("60000");
  });
}

async function ticker(t: TestContext, { exchange, maker }: Fixture): Promise<void> {
  await t.test("the ticker of version 2 shows the contract of the same name", async () => {
    await pinMark(exchange, SYMBOL, "60123.4");
    const read = await maker.client.ticker(SYMBOL);
    const interest = await maker.client.v3<{ openInterest: string }>(
      "/capi/v3/market/openInterest",
      { symbol: SYMBOL },
    );
    assert.partialDeepStrictEqual(read, {
      markPrice: "60123.4",
      indexPrice: "60000",
      openInterest: interest.openInterest,
    });
    assert.notEqual(interest.openInterest, "0");
    await pinMark(exchange, SYMBOL, "60000");
  });
}

async function operator(t: TestContext, { exchange, maker }: Fixture): Promise<void> {
  const market = "/operator/v1/markets/contract/BTCUSDT";
  await t.test(
    "market states: orders refused, cancels and triggers as the state has it",
    async () => {
      const alice = await openContractAccount(exchange, "10000");
      await openBoth(alice, maker, "0.1", "60000");
      const orderId = await place(alice, BUY_LONG, "0.1", "59000");
      const plan = { symbol: SYMBOL, positionSide: "LONG", planType: "STOP_LOSS" };
      const stop = { ...plan, triggerPrice: "59500", triggerPriceType: "MARK_PRICE" };
      await done(alice, "placeTpSlOrder", { ...stop, clientAlgoId: "state-stop" });
      await exchange.operator.call("PATCH", market, { state: "cancel-only" });
      const order = orderBody(BUY_LONG, "0.1", "59000");
      assertRefused(await alice.client.post(CONTRACT_ORDER, order), -1058);
      assert.equal((await alice.client.delete(CONTRACT_ORDER, { orderId })).status, 200);
      await pinMark(exchange, SYMBOL, "59400");
      assert.equal((await openAlgosOf(alice)).length, 1, "no trigger while it is not trading");
      await exchange.operator.call("PATCH", market, { state: "trading" });
      assert.equal((await openAlgosOf(alice)).length, 0);
      await pinMark(exchange, SYMBOL, "60000");
      await place(maker, BUY_SHORT, "0.1", "60000");
      await done(alice, "closePositions", {});
    },
  );

  await t.test("a frozen user neither opens nor closes, but cancels and reads", async () => {
    const alice = await openContractAccount(exchange, "10000");
    await openBoth(alice, maker, "0.1", "60000");
    const orderId = await place(alice, BUY_LONG, "0.1", "59000");
    const path = `/operator/v1/users/${alice.uid}`;
    await exchange.operator.call("PATCH", path, { state: "frozen" });
    for (const direction of [BUY_LONG, SELL_LONG]) {
      const order = orderBody(direction, "0.1", "59500");
      assertRefused(await alice.client.post(CONTRACT_ORDER, order), -1057);
    }
    const config = await alice.client.v3<object>("/capi/v3/account/accountConfig");
    assert.partialDeepStrictEqual(config, { canTrade: false });
    assert.equal((await alice.client.delete(CONTRACT_ORDER, { orderId })).status, 200);
    await exchange.operator.call("PATCH", path, { state: "active" });
    await place(maker, BUY_SHORT, "0.1", "60000");
    await done(alice, "closePositions", {});
  });
}

async function restart(t: TestContext, { exchange, maker }: Fixture): Promise<void> {
  await t.test("a killed process comes back with positions, orders and triggers", async () => {
    const alice = await openContractAccount(exchange, "10000");
    await openBoth(alice, maker, "0.1", "60000");
    await place(alice, BUY_LONG, "0.1", "59000", { slTriggerPrice: "58000" });
    const plan = { symbol: SYMBOL, positionSide: "LONG", planType: "TAKE_PROFIT" };
    const order = { ...plan, triggerPrice: "61000", triggerPriceType: "MARK_PRICE" };
    await done(alice, "placeTpSlOrder", { ...order, clientAlgoId: "restart-profit" });
    const paths = [
      "openOrders",
      "openAlgoOrders",
      "account/position/allPosition",
      "account/balance",
      "order/history",
      "userTrades",
    ];
    const read = async (account: Account): Promise<unknown[]> => {
      const answers: unknown[] = [];
      for (const path of paths) answers.push(await account.client.v3(`/capi/v3/${path}`));
      return answers;
    };
    const before = await read(alice);
    await exchange.kill("SIGKILL");
    await exchange.restart();
    const again = reconnected(exchange, alice);
    assert.deepEqual(await read(again), before);
    await place(reconnected(exchange, maker), BUY_SHORT, "0.1", "60900");
    await pinMark(exchange, SYMBOL, "61000");
    assert.deepEqual(await positionsOf(again), []);
    const [row] = await endedAlgosOf(again);
    assert.deepEqual([row?.algoStatus, row?.actualPrice], ["FILLED", "60900"]);
  });
}

/** The same account on the ports of the restarted process. */
function reconnected(exchange: ExchangeProcess, account: Account): Account {
  account.client.close();
  return { ...account, client: new SignedClient(exchange.port, account.credentials) };
}

test("rules of contract orders and positions", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  await listContract(exchange, SYMBOL, BTC_CONTRACT);
  await setIndex(exchange, SYMBOL, "60000");
  await pinMark(exchange, SYMBOL, "60000");
  const fixture: Fixture = { exchange, maker: await openContractAccount(exchange, "10000000") };
  await separated(t, fixture);
  await trimming(t, fixture);
  await debts(t, fixture);
  await openings(t, fixture);
  await trailing(t, fixture);
  await ticker(t, fixture);
  await operator(t, fixture);
  await restart(t, fixture);
  await t.test("the books are sound", async () => {
    const { ok, violations } = await exchange.operator.invariants();
    assert.equal(ok, true, violations.join("; "));
  });
});
