/**
 * Proves over HTTP how positions are closed by the exchange, with amounts calculated by hand: a
 * cross account steps down its tiers, both sides of one are netted first, a position without buyers
 * is closed against its counterpart, a stale index suspends liquidations, automatic margin saves a
 * position, and funding stops where it would liquidate. Each scenario uses other accounts in the
 * same process, all of them flat afterwards.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import {
  BTC_CONTRACT,
  type ContractRules,
  listContract,
  openContractAccount,
  passFundingSlot,
  pinMark,
  publicRead,
  setIndex,
} from "../support/contract-setup.ts";
import {
  BUY_LONG,
  BUY_SHORT,
  done,
  fillsOf,
  incomeOf,
  isolate,
  openBoth,
  orderOf,
  place,
  positionOf,
  positionsOf,
  SELL_LONG,
  SELL_SHORT,
  SYMBOL,
  walletOf,
} from "../support/contract-trading.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import type { Account } from "../support/exchange-setup.ts";

const DAY_MS = 86_400_000;

async function start(
  t: TestContext,
  rules: ContractRules = BTC_CONTRACT,
): Promise<ExchangeProcess> {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  await listContract(exchange, SYMBOL, rules);
  await setIndex(exchange, SYMBOL, "60000");
  return exchange;
}

async function assertSound({ operator }: ExchangeProcess): Promise<void> {
  const { ok, violations } = await operator.invariants();
  assert.equal(ok, true, violations.join("; "));
}

const TIERED: ContractRules = {
  ...BTC_CONTRACT,
  tiers: [
    { maxNotional: "10000", maintenanceMarginRate: "0.01", maxLeverage: 50 },
    { maxNotional: "30000", maintenanceMarginRate: "0.02", maxLeverage: 20 },
    { maxNotional: "1000000000", maintenanceMarginRate: "0.05", maxLeverage: 10 },
  ],
};

/** LONG 1 at 60,000 with 6,052 behind it: due at 53,948 / 0.9492, which is 56,835.23. */
async function crossLong(exchange: ExchangeProcess, bob: Account): Promise<Account> {
  const alice = await openContractAccount(exchange, "6100");
  await done(alice, "account/leverage", { symbol: SYMBOL, crossLeverage: 10 });
  await openBoth(alice, bob, "1", "60000");
  assert.equal((await walletOf(alice)).balance, "6052");
  assert.equal((await positionOf(alice)).liquidatePrice, "56835.2");
  return alice;
}

test("a cross account steps down two tiers and goes on", async (t) => {
  const exchange = await start(t, TIERED);
  const bob = await openContractAccount(exchange, "1000000");
  await done(bob, "account/leverage", { symbol: SYMBOL, crossLeverage: 10 });
  const alice = await crossLong(exchange, bob);
  await pinMark(exchange, SYMBOL, "56835.3");
  assert.equal((await positionOf(alice)).size, "1");
  await place(bob, BUY_SHORT, "1", "56835.2");
  await pinMark(exchange, SYMBOL, "56835.2");
  // 10,000 / 56,835.2 is 0.175 in whole lots: 0.825 are sold.
  const position = await positionOf(alice);
  assert.equal(position.size, "0.175");
  // 1 % of 46,889.04; the taker's fee is 37.511232.
  assert.equal(position.cumLiquidateFee, "468.8904");
  assert.equal((await walletOf(alice)).balance, "2934.638368");
  assert.deepEqual((await incomeOf(alice)).slice(2), [
    ["start_liquidate", "0"],
    ["position_close_long", "-2648.471232"],
    ["finish_liquidate", "-468.8904"],
  ]);
  await assertSound(exchange);
});

test("both sides of a cross account are netted at the mark before anything is sold", async (t) => {
  const exchange = await start(t, TIERED);
  const bob = await openContractAccount(exchange, "1000000");
  await done(bob, "account/leverage", { symbol: SYMBOL, crossLeverage: 10 });
  const alice = await openContractAccount(exchange, "9000");
  await done(alice, "account/leverage", { symbol: SYMBOL, crossLeverage: 10 });
  await openBoth(alice, bob, "1", "60000");
  // The fee of the short is 3.6 for the maker, so 8,948.4 are behind both.
  await place(alice, SELL_SHORT, "0.3", "60000");
  await place(bob, BUY_LONG, "0.3", "60000");
  assert.equal((await walletOf(alice)).balance, "8948.4");
  // 8,948.4 − 0.7 × (60,000 − P) against 1.3 × P × 0.0508: due at 33,051.6 / 0.63396.
  const shown = (await positionsOf(alice)).map(({ liquidatePrice }) => liquidatePrice);
  assert.deepEqual(shown, ["52135.2", "52135.2"]);
  const at = "52135.1";
  await place(bob, BUY_SHORT, "0.7", at);
  await pinMark(exchange, SYMBOL, at);
  const rows = await positionsOf(alice);
  assert.ok(rows.every(({ side }) => side === "LONG"));
  const fills = await fillsOf(alice);
  const netted = fills.filter(({ commission, realizedPnl }) => {
    return commission === "0" && realizedPnl !== "0";
  });
  assert.deepEqual(
    netted.map(({ price, qty, maker }) => [price, qty, maker]),
    [
      [at, "0.3", false],
      [at, "0.3", false],
    ],
  );
  assert.deepEqual(new Set(netted.map(({ positionSide }) => positionSide)).size, 2);
  await assertSound(exchange);
});

test("what nobody buys is closed against its counterpart at the bankruptcy price", async (t) => {
  const exchange = await start(t);
  const alice = await openContractAccount(exchange, "10000");
  const bob = await openContractAccount(exchange, "100000");
  await isolate(alice, 20);
  await openBoth(alice, bob, "1", "60000");
  const resting = await place(bob, BUY_SHORT, "1", "50000");
  const before = await walletOf(bob);
  await pinMark(exchange, SYMBOL, "57332.6");
  assert.equal((await positionsOf(alice)).length, 1);
  await pinMark(exchange, SYMBOL, "57332.5");

  assert.deepEqual(await positionsOf(alice), []);
  assert.deepEqual(await positionsOf(bob), []);
  assert.equal((await walletOf(alice)).balance, "6952");
  assert.equal(Number((await walletOf(bob)).balance) - Number(before.balance), 3000);
  for (const [account, direction, realizedPnl] of [
    [alice, SELL_LONG, "-3000"],
    [bob, BUY_SHORT, "3000"],
  ] as const) {
    const [fill] = await fillsOf(account);
    assert.ok(fill !== undefined);
    const expected = { price: "57000", qty: "1", commission: "0", realizedPnl, ...direction };
    assert.partialDeepStrictEqual(fill, expected);
    assert.equal(fill.maker, false);
    const order = await orderOf(account, fill.orderId);
    const { status, type, reduceOnly, avgPrice } = order;
    assert.deepEqual([status, type, reduceOnly, avgPrice], ["FILLED", "MARKET", true, "57000"]);
  }
  // What rested to close the same position has nothing left to close.
  assert.equal((await orderOf(bob, resting)).status, "CANCELED");
  const path = "/capi/v3/market/trades";
  const trades = await publicRead<unknown[]>(alice, path, { symbol: SYMBOL });
  assert.equal(trades.length, 1, "deleveraging is no public trade");
  const openInterest = "/capi/v3/market/openInterest";
  const interest = await publicRead<object>(alice, openInterest, { symbol: SYMBOL });
  assert.partialDeepStrictEqual(interest, { openInterest: "0" });
  await assertSound(exchange);
});

test("a stale index makes liquidations wait until it is fresh", async (t) => {
  const exchange = await start(t);
  const alice = await openContractAccount(exchange, "1000");
  const bob = await openContractAccount(exchange, "100000");
  await isolate(alice, 100);
  await openBoth(alice, bob, "1", "60000");
  await place(bob, BUY_SHORT, "1", "59990");
  await exchange.operator.advanceClock(DAY_MS + 1000);
  const rates = { product: "contract", symbol: SYMBOL, makerFeeRate: "0", takerFeeRate: "0.006" };
  const path = `/operator/v1/users/${alice.uid}/fee-rates`;
  // Maintenance and closing fee are now 1.1 % of the value, and its margin is 1 %.
  await exchange.operator.call("PUT", path, rates);
  assert.equal((await positionsOf(alice)).length, 1);
  await setIndex(exchange, SYMBOL, "60000");
  assert.deepEqual(await positionsOf(alice), []);
  await assertSound(exchange);
});

test("automatic margin saves a position, once it has something to take", async (t) => {
  const exchange = await start(t);
  const alice = await openContractAccount(exchange, "10000");
  const bob = await openContractAccount(exchange, "100000");
  await isolate(alice, 20);
  await openBoth(alice, bob, "1", "60000");
  const { id: positionId } = await positionOf(alice);
  const body = { positionId, autoAppendMargin: true };
  await done(alice, "account/modifyAutoAppendMargin", body);
  await pinMark(exchange, SYMBOL, "57300");
  const position = await positionOf(alice);
  // 57,300 / 20 = 2,865 is what has to be left beyond the loss of 2,700.
  assert.equal(position.isolatedMargin, "5565");
  const wallet = await walletOf(alice);
  assert.deepEqual([wallet.balance, wallet.availableBalance], ["9952", "4387"]);
  assert.deepEqual((await incomeOf(alice)).at(-1), ["margin_move_in", "0"]);
  await assertSound(exchange);
});

test("funding stops before it would liquidate, and receivers share what was paid", async (t) => {
  const exchange = await start(t);
  const alice = await openContractAccount(exchange, "1000");
  const bob = await openContractAccount(exchange, "100000");
  await isolate(alice, 100);
  await openBoth(alice, bob, "1", "60000");
  // 600 − 250 against 59,750 × 0.58 %: alive, but nearer than the buffer.
  await pinMark(exchange, SYMBOL, "59750");
  const before = await walletOf(bob);
  await passFundingSlot(exchange, alice, SYMBOL);
  assert.equal((await positionOf(alice)).fundingFee, "0");
  assert.deepEqual(await walletOf(bob), before);
  const kinds = (await incomeOf(alice)).map(([kind]) => kind);
  assert.ok(!kinds.includes("position_funding"), "nothing moved, no row");
  // 600 − 150 − 59,850 × 0.68 %: 43.02 may be taken, 5.985 are due.
  await pinMark(exchange, SYMBOL, "59850");
  await passFundingSlot(exchange, alice, SYMBOL);
  assert.equal((await positionOf(alice)).fundingFee, "5.985");
  // 600 − 5.985 − 184.2 − 59,815.8 × 0.68 %: 3.06756 of 5.98158 are paid.
  await pinMark(exchange, SYMBOL, "59815.8");
  await passFundingSlot(exchange, alice, SYMBOL);
  assert.equal((await positionOf(alice)).fundingFee, "9.05256");
  assert.equal((await positionOf(bob)).fundingFee, "-9.05256");
  await assertSound(exchange);
});
