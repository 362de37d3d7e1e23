/**
 * Listing of contracts: what is refused with which field, that rules are written as they were read,
 * which changes a market takes when it has orders, conditional orders, positions or prices, and
 * what a change does to prices, funding slots and those who hold something.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ContractFixture } from "../../../test/support/engine/contract-fixture.ts";
import { openPair, setMark } from "../../../test/support/engine/paired-positions.ts";
import { quote } from "../../../test/support/engine/quoted-book.ts";
import type { Result } from "../../domain/index.ts";
import { setFeeRates } from "../accounts/users.ts";
import { setAsset } from "../spot/markets.ts";
import { symbolAccountOf } from "./contract-state.ts";
import { availableBalanceMinor, isPositionDue } from "./formulas/account-equity.ts";
import {
  type ContractMarketTexts,
  contractMarketTexts,
  setContractMarket,
  setContractMarketState,
} from "./markets.ts";
import { runRisk } from "./risk/risk-loop.ts";
import type { ContractMarket } from "./state/contract-market.ts";

const UNIT = 100_000_000n;

function listed(): readonly [ContractFixture, ContractMarket] {
  const context = new ContractFixture();
  const market = context.list();
  context.events = [];
  return [context, market];
}

function change(
  context: ContractFixture,
  market: ContractMarket,
  changes: Partial<ContractMarketTexts>,
): Result<null> {
  const texts = { ...contractMarketTexts(market), ...changes };
  return setContractMarket(context, { type: "set-contract-market", actor: "op", ...texts });
}

function refusal(result: Result<null>): readonly (string | null)[] | null {
  return result.ok ? null : [result.reason, result.field];
}

const TIER = { maxNotional: "1000", maintenanceMarginRate: "0.005", maxLeverage: 100 };

test("rules are written as they were read", () => {
  const [context, market] = listed();
  const texts: ContractMarketTexts = {
    symbol: "BTCUSDT",
    baseAsset: "BTC",
    quoteAsset: "USDT",
    marginAsset: "USDT",
    tickSize: "0.05",
    stepSize: "0.003",
    pricePrecision: 2,
    quantityPrecision: 3,
    contractVal: "0.003",
    minOrderSize: "0.006",
    maxOrderSize: "3000",
    maxPositionSize: "9000",
    marketOpenLimitSize: "300",
    minLeverage: 2,
    maxLeverage: 50,
    defaultLeverage: 10,
    buyLimitPriceRatio: "0.02",
    sellLimitPriceRatio: "0.03",
    makerFeeRate: "0",
    takerFeeRate: "0.1",
    liquidateFeeRate: "0.00000001",
    interestRate: "-0.0002",
    fundingInnerClamp: "0",
    fundingRateCap: "1",
    fundingBufferRate: "0.5",
    impactNotional: "0.00000001",
    ...{ insuranceSlippage: "0.5", insuranceDrawLimit: "1", indexStepLimit: "0.00000001" },
    fundingIntervalMinutes: 1,
    indexStaleMs: 1,
    maxOpenOrders: 100_000,
    tiers: [TIER, { ...TIER, maxNotional: "1000.00000001" }],
    state: "cancel-only",
  };
  assert.equal(refusal(change(context, market, texts)), null);
  assert.deepEqual(contractMarketTexts(market), texts);
  assert.deepEqual(context.events, [{ type: "contract-market-set", actor: "op", ...texts }]);
});

const CONTRADICTIONS: readonly (readonly [Partial<ContractMarketTexts>, string, string])[] = [
  [{ symbol: "btcusdt" }, "malformed", "symbol"],
  [{ symbol: "B" }, "malformed", "symbol"],
  [{ baseAsset: "DOGE" }, "unknown-asset", "baseAsset"],
  [{ quoteAsset: "DOGE" }, "unknown-asset", "quoteAsset"],
  [{ quoteAsset: "BTC" }, "malformed", "quoteAsset"],
  [{ marginAsset: "DOGE" }, "unknown-asset", "marginAsset"],
  [{ marginAsset: "BTC" }, "malformed", "marginAsset"],
  [{ tickSize: "0" }, "malformed", "tickSize"],
  [{ stepSize: "-1" }, "malformed", "stepSize"],
  [{ stepSize: "0.000000001" }, "excess-precision", "stepSize"],
  [{ tickSize: "0.000001" }, "excess-precision", "tickSize"],
  [{ contractVal: "0" }, "malformed", "contractVal"],
  [{ pricePrecision: 19 }, "out-of-range", "pricePrecision"],
  [{ quantityPrecision: 19 }, "out-of-range", "quantityPrecision"],
  [{ minOrderSize: "0" }, "out-of-range", "minOrderSize"],
  [{ minOrderSize: "0.0005" }, "off-step", "minOrderSize"],
  [{ minOrderSize: "1e3" }, "malformed", "minOrderSize"],
  [{ maxOrderSize: "9007199254741" }, "out-of-range", "maxOrderSize"],
  [{ minOrderSize: "2", maxOrderSize: "1" }, "out-of-range", "maxOrderSize"],
  [{ minOrderSize: "2", maxPositionSize: "1" }, "out-of-range", "maxPositionSize"],
  [{ minOrderSize: "2", marketOpenLimitSize: "1" }, "out-of-range", "marketOpenLimitSize"],
  [{ minLeverage: 0 }, "out-of-range", "minLeverage"],
  [{ maxLeverage: 1001 }, "out-of-range", "maxLeverage"],
  [{ minLeverage: 30, maxLeverage: 29 }, "out-of-range", "maxLeverage"],
  [{ defaultLeverage: 101 }, "out-of-range", "defaultLeverage"],
  [{ minLeverage: 30 }, "out-of-range", "defaultLeverage"],
  [{ buyLimitPriceRatio: "10.00000001" }, "out-of-range", "buyLimitPriceRatio"],
  [{ sellLimitPriceRatio: "1" }, "out-of-range", "sellLimitPriceRatio"],
  [{ makerFeeRate: "0.10000001" }, "out-of-range", "makerFeeRate"],
  [{ takerFeeRate: "-0.1" }, "malformed", "takerFeeRate"],
  [{ liquidateFeeRate: "0.000000001" }, "excess-precision", "liquidateFeeRate"],
  [{ interestRate: "-1.1" }, "out-of-range", "interestRate"],
  [{ interestRate: "--1" }, "malformed", "interestRate"],
  [{ fundingInnerClamp: "1.1" }, "out-of-range", "fundingInnerClamp"],
  [{ fundingRateCap: "-0.1" }, "malformed", "fundingRateCap"],
  [{ fundingBufferRate: "" }, "malformed", "fundingBufferRate"],
  [{ impactNotional: "0" }, "out-of-range", "impactNotional"],
  [{ fundingIntervalMinutes: 0 }, "out-of-range", "fundingIntervalMinutes"],
  [{ fundingIntervalMinutes: 7 }, "out-of-range", "fundingIntervalMinutes"],
  [{ fundingIntervalMinutes: 2880 }, "out-of-range", "fundingIntervalMinutes"],
  [{ indexStaleMs: 86_400_001 }, "out-of-range", "indexStaleMs"],
  [{ maxOpenOrders: 0 }, "out-of-range", "maxOpenOrders"],
  [{ insuranceSlippage: "0.50000001" }, "out-of-range", "insuranceSlippage"],
  [{ insuranceSlippage: "" }, "malformed", "insuranceSlippage"],
  [{ insuranceDrawLimit: "1.00000001" }, "out-of-range", "insuranceDrawLimit"],
  [{ insuranceDrawLimit: "none" }, "malformed", "insuranceDrawLimit"],
  [{ indexStepLimit: "0" }, "out-of-range", "indexStepLimit"],
  [{ indexStepLimit: "1.1" }, "out-of-range", "indexStepLimit"],
  [{ indexStepLimit: "0.000000001" }, "excess-precision", "indexStepLimit"],
  [{ tiers: [] }, "out-of-range", "tiers"],
  [{ tiers: Array.from({ length: 51 }, () => TIER) }, "out-of-range", "tiers"],
  [{ tiers: [{ ...TIER, maxNotional: "0" }] }, "out-of-range", "tiers"],
  [{ tiers: [TIER, TIER] }, "out-of-range", "tiers"],
  [{ tiers: [{ ...TIER, maintenanceMarginRate: "0.01" }] }, "out-of-range", "tiers"],
  [{ tiers: [{ ...TIER, maintenanceMarginRate: "0.9", maxLeverage: 1 }] }, "out-of-range", "tiers"],
  [{ tiers: [{ ...TIER, maxLeverage: 0 }] }, "out-of-range", "tiers"],
  [{ tiers: [{ ...TIER, maintenanceMarginRate: "x" }] }, "malformed", "tiers"],
  [
    { tiers: [TIER, { ...TIER, maxNotional: "2000", maintenanceMarginRate: "0.004" }] },
    "out-of-range",
    "tiers",
  ],
  [{ tiers: [TIER, { ...TIER, maxNotional: "2000", maxLeverage: 101 }] }, "out-of-range", "tiers"],
];

test("rules that contradict each other are refused by their field", () => {
  for (const [changes, ...expected] of CONTRADICTIONS) {
    const [context, market] = listed();
    const before = contractMarketTexts(market);
    assert.deepEqual(refusal(change(context, market, changes)), expected, JSON.stringify(changes));
    const fresh = { symbol: "NEWUSDT", ...changes };
    assert.deepEqual(refusal(change(context, market, fresh)), expected, JSON.stringify(fresh));
    assert.deepEqual([context.events, contractMarketTexts(market)], [[], before]);
    assert.equal(context.state.contract.markets.length, 1);
  }
});

/** Each is the last value that its limit allows. */
const AT_LIMITS: readonly Partial<ContractMarketTexts>[] = [
  { pricePrecision: 18 },
  { quantityPrecision: 18 },
  { minLeverage: 1 },
  { buyLimitPriceRatio: "10" },
  { sellLimitPriceRatio: "0.99999999" },
  { makerFeeRate: "0.1" },
  { interestRate: "1" },
  { interestRate: "-1" },
  { fundingInnerClamp: "1" },
  { fundingIntervalMinutes: 1440 },
  { indexStaleMs: 0 },
  { indexStaleMs: 86_400_000 },
  { maxOpenOrders: 1 },
  { insuranceSlippage: "0.5" },
  { insuranceDrawLimit: "1" },
  { indexStepLimit: "1" },
  { minOrderSize: "1", maxOrderSize: "1" },
  { minOrderSize: "1", marketOpenLimitSize: "1" },
];

test("rules at their limits are taken", () => {
  for (const changes of AT_LIMITS) {
    const [context, market] = listed();
    assert.equal(refusal(change(context, market, changes)), null, JSON.stringify(changes));
    const taken = contractMarketTexts(market);
    assert.deepEqual({ ...taken, ...changes }, taken);
  }
});

test("a state that follows the first rules takes no contract", () => {
  const context = new ContractFixture();
  const market = context.list();
  context.state.rulesVersion = 1;
  assert.deepEqual(refusal(change(context, market, {})), ["conflict", "symbol"]);
});

test("a state of a market is set by itself, and of an unknown one refused", () => {
  const [context, market] = listed();
  const command = { type: "set-contract-market-state", actor: "op", state: "halted" } as const;
  assert.ok(setContractMarketState(context, { ...command, symbol: "BTCUSDT" }).ok);
  assert.equal(market.state, "halted");
  const unknown = setContractMarketState(context, { ...command, symbol: "NONE" });
  assert.deepEqual(refusal(unknown), ["unknown-symbol", "symbol"]);
});

test("grids stay while orders, conditional orders or positions hang on them", () => {
  const tick = { tickSize: "0.05" };
  const step = { stepSize: "0.0005" };
  const [context, market] = listed();
  const user = context.user(1, market, 1000n * UNIT);
  const { orders } = context.state.contract;
  quote(market.book, orders, [[600_000, 1]], []);
  assert.deepEqual(refusal(change(context, market, tick)), ["conflict", "tickSize"]);
  assert.deepEqual(refusal(change(context, market, step)), ["conflict", "stepSize"]);
  assert.equal(refusal(change(context, market, { takerFeeRate: "0.001" })), null);
  quote(market.book, orders, [], []);

  const owner = symbolAccountOf(context.state, user, market);
  owner.conditionalOrders = 1;
  assert.deepEqual(refusal(change(context, market, tick)), ["conflict", "tickSize"]);
  assert.deepEqual(refusal(change(context, market, step)), ["conflict", "stepSize"]);
  owner.conditionalOrders = 0;

  const other = context.user(2, market, 10_000n * UNIT);
  const pair = { market, holders: [user, other] as const, marginType: "CROSSED" as const };
  openPair(context.state, { ...pair, priceTicks: 600_000, lots: 1, leverage: 20, positionId: 1 });
  setMark(context.state, market, 600_000);
  assert.deepEqual(refusal(change(context, market, step)), ["conflict", "stepSize"]);
  assert.deepEqual(refusal(change(context, market, { ...tick, ...step })), [
    "conflict",
    "stepSize",
  ]);
  assert.deepEqual(refusal(change(context, market, { tickSize: "0.03" })), [
    "conflict",
    "tickSize",
  ]);
  assert.deepEqual(refusal(change(context, market, { tickSize: "0.2" })), ["conflict", "tickSize"]);
  assert.equal(refusal(change(context, market, tick)), null);
  for (const name of ["baseAsset", "quoteAsset"] as const) {
    for (const asset of ["ETH", "EUR"]) {
      if (!context.state.assetsByName.has(asset))
        context.list({ symbol: `${asset}X`, baseAsset: asset });
    }
    const assets =
      name === "baseAsset" ? { baseAsset: "ETH" } : { quoteAsset: "EUR", marginAsset: "EUR" };
    assert.deepEqual(refusal(change(context, market, assets)), ["conflict", name]);
  }
});

test("in a finer tick every price is the same amount, and positions are worth the same", () => {
  const [context, market] = listed();
  const users = [1, 2].map((uid) => context.user(uid, market, 10_000n * UNIT));
  const [long, short] = users as [(typeof users)[0], (typeof users)[0]];
  const pair = { market, holders: [long, short] as const, marginType: "CROSSED" as const };
  openPair(context.state, { ...pair, priceTicks: 600_000, lots: 100, leverage: 20, positionId: 1 });
  setMark(context.state, market, 600_123);
  market.mark.pinnedTicks = 600_123;
  market.lastTicks = 599_999;
  market.mark.samples.push({ atMs: context.nowMs, halfTicks: -7 });
  market.indexPrice.spotSamples.push({ atMs: context.nowMs, halfTicks: 1_200_001 });
  const { account } = symbolAccountOf(context.state, long, market);
  const available = availableBalanceMinor(context.state.ledger, account);
  context.events = [];
  assert.equal(refusal(change(context, market, { tickSize: "0.02" })), null);
  assert.deepEqual(
    [market.mark.ticks, market.mark.pinnedTicks, market.indexPrice.ticks, market.lastTicks],
    [3_000_615, 3_000_615, 3_000_615, 2_999_995],
  );
  assert.equal(market.mark.samples[0]?.halfTicks, -35);
  assert.equal(market.indexPrice.spotSamples[0]?.halfTicks, 6_000_005);
  assert.equal(availableBalanceMinor(context.state.ledger, account), available);
  assert.deepEqual(
    context.events.map(({ type }) => type),
    ["contract-market-set"],
    "no price is another",
  );
  runRisk(context);
  assert.equal(market.positions.size, 2);
  const tooFine = { tickSize: "0.00001", stepSize: "0.001" };
  market.lastTicks = Number.MAX_SAFE_INTEGER;
  assert.deepEqual(refusal(change(context, market, tooFine)), ["out-of-range", "tickSize"]);
});

test("before its first price a market takes any tick, with one only what divides it", () => {
  const [context, market] = listed();
  assert.equal(refusal(change(context, market, { tickSize: "0.03" })), null);
  assert.equal(refusal(change(context, market, { tickSize: "0.5" })), null);
  const coarser = { tickSize: "0.8" };
  market.lastTicks = 1;
  assert.deepEqual(refusal(change(context, market, coarser)), ["conflict", "tickSize"]);
  market.lastTicks = 0;
  market.mark.ticks = 1;
  assert.deepEqual(refusal(change(context, market, coarser)), ["conflict", "tickSize"]);
  market.mark.ticks = 0;
  market.indexPrice.ticks = 1;
  assert.deepEqual(refusal(change(context, market, coarser)), ["conflict", "tickSize"]);
  market.indexPrice.ticks = 0;
  assert.equal(refusal(change(context, market, coarser)), null);
});

test("another interval starts with its next multiple", () => {
  const [context, market] = listed();
  context.nowMs += 61 * 60_000;
  assert.equal(refusal(change(context, market, { fundingIntervalMinutes: 60 })), null);
  assert.equal(market.funding.nextSlotMs, context.nowMs + 59 * 60_000);
  const kept = market.funding.nextSlotMs;
  context.nowMs += 60_000;
  assert.equal(refusal(change(context, market, { takerFeeRate: "0.0007" })), null);
  assert.equal(market.funding.nextSlotMs, kept);
});

test("new tiers and new fee rates find who is due by them at once", () => {
  for (const by of ["tiers", "fee rates"] as const) {
    const [context, market] = listed();
    const users = [1, 2].map((uid) => context.user(uid, market, 10_000n * UNIT));
    const [long, short] = users as [(typeof users)[0], (typeof users)[0]];
    const pair = { market, holders: [long, short] as const, marginType: "ISOLATED" as const };
    const [position] = openPair(context.state, {
      ...pair,
      priceTicks: 600_000,
      lots: 100,
      leverage: 20,
      positionId: 1,
    });
    setMark(context.state, market, 600_000);
    market.mark.pinnedTicks = 600_000;
    runRisk(context);
    assert.ok(market.positions.has(position));
    const dear = {
      ...TIER,
      maxNotional: "1000000",
      maintenanceMarginRate: "0.05",
      maxLeverage: 10,
    };
    const result =
      by === "tiers"
        ? change(context, market, { tiers: [dear] })
        : setFeeRates(context, {
            type: "set-fee-rates",
            actor: "op",
            uid: long.uid,
            product: "contract",
            symbol: market.symbol,
            makerFeeRate: "0",
            takerFeeRate: "0.1",
          });
    assert.equal(refusal(result), null);
    assert.ok(isPositionDue(position), by);
    context.stepsLeft = 100;
    runRisk(context);
    assert.ok(!market.positions.has(position), by);
  }
});

test("fee rates of a symbol need a listed contract", () => {
  const [context, market] = listed();
  context.user(1, market, UNIT);
  const command = {
    type: "set-fee-rates",
    actor: "op",
    uid: 1,
    product: "contract",
    makerFeeRate: "0",
    takerFeeRate: "0",
  } as const;
  const unknown = setFeeRates(context, { ...command, symbol: "ETHUSDT" });
  assert.deepEqual(refusal(unknown), ["unknown-symbol", "symbol"]);
  const spot = setFeeRates(context, { ...command, product: "spot", symbol: "BTCUSDT" });
  assert.deepEqual(refusal(spot), ["unknown-symbol", "symbol"]);
  for (const symbol of ["BTCUSDT", null]) {
    assert.equal(refusal(setFeeRates(context, { ...command, symbol })), null);
  }
});

test("the scale of an asset is fixed once a contract is listed in it", () => {
  const [context] = listed();
  const command = { type: "set-asset", actor: "", coinId: 1, name: "Bitcoin", scale: 9 } as const;
  assert.deepEqual(refusal(setAsset(context, { ...command, asset: "BTC" })), ["conflict", "scale"]);
  assert.equal(refusal(setAsset(context, { ...command, asset: "BTC", scale: 8 })), null);
});
