/** Proves that the form says what is wrong by field, and sends exactly what it shows. */
import assert from "node:assert/strict";
import test from "node:test";
import type { MarketRules } from "../market-rules.ts";
import {
  algoOrderOf,
  contractOrderOf,
  type Draft,
  EMPTY_DRAFT,
  positionSideOf,
  problemsOf,
  spotOrderOf,
} from "./order-draft.ts";

const SPOT: MarketRules = {
  product: "spot",
  symbol: "BTCUSDT",
  baseAsset: "BTC",
  quoteAsset: "USDT",
  priceDecimals: 2,
  quantityDecimals: 5,
  tickSize: "0.05",
  stepSize: "0.00001",
  minQuantity: "0.0001",
  maxQuantity: "10",
  minNotional: "5",
  makerFeeRate: "0.001",
  takerFeeRate: "0.001",
  maxLeverage: 1,
  riskTiers: [],
  maxPosition: "100",
  maxMarketOpen: "100",
  isTrading: true,
};
const CONTRACT: MarketRules = { ...SPOT, product: "contract", minNotional: "0", maxLeverage: 100 };
const DRAFT: Draft = { ...EMPTY_DRAFT, price: "50000.05", quantity: "0.01" };

test("a whole draft has no problem", () => {
  assert.deepEqual(problemsOf(DRAFT, SPOT), {});
  assert.deepEqual(problemsOf({ ...DRAFT, kind: "MARKET", price: "" }, SPOT), {});
});

test("each field says what is wrong with it", () => {
  const of = (change: Partial<Draft>, rules = SPOT) => problemsOf({ ...DRAFT, ...change }, rules);
  assert.match(
    of({ price: "50000.01" }).price ?? "",
    /price must be a multiple of 0.05, such as 50000/,
  );
  assert.match(of({ price: "0" }).price ?? "", /above 0/);
  assert.match(of({ price: "1e5" }).price ?? "", /plain decimal/);
  assert.match(of({ quantity: "0.00001" }).quantity ?? "", /quantity must be at least 0.0001 BTC/);
  assert.match(of({ quantity: "11" }).quantity ?? "", /quantity must be at most 10 BTC/);
  assert.match(of({ quantity: "0.000105" }).quantity ?? "", /multiple of 0.00001/);
  assert.match(
    of({ price: "1", quantity: "1" }).quantity ?? "",
    /at least 5 USDT. Enter a quantity of at least 5/,
  );
  assert.match(of({ price: "3", quantity: "1" }).quantity ?? "", /quantity of at least 1.66667/);
  assert.match(of({ price: "0", quantity: "1" }).quantity ?? "", /at least 5 USDT.$/);
  const trailing = { kind: "TRAILING_STOP_MARKET", callbackRate: "11" } as const;
  assert.match(of(trailing, CONTRACT).callbackRate ?? "", /0.1 to 10/);
  assert.match(of({ takeProfit: "x" }, CONTRACT).takeProfit ?? "", /take-profit as a plain/);
  assert.match(of({ kind: "STOP" }, CONTRACT).triggerPrice ?? "", /Enter a trigger price/);
});

test("sides of contracts: opening and closing", () => {
  const side = (of: Pick<Draft, "side" | "closes">) => positionSideOf({ ...DRAFT, ...of });
  assert.equal(side({ side: "BUY", closes: false }), "LONG");
  assert.equal(side({ side: "SELL", closes: false }), "SHORT");
  assert.equal(side({ side: "BUY", closes: true }), "SHORT");
  assert.equal(side({ side: "SELL", closes: true }), "LONG");
});

test("what is sent is what stands there", () => {
  assert.deepEqual(spotOrderOf(DRAFT, SPOT), {
    symbol: "BTCUSDT",
    side: "BUY",
    type: "LIMIT",
    timeInForce: "GTC",
    quantity: "0.01",
    price: "50000.05",
  });
  assert.deepEqual(contractOrderOf({ ...DRAFT, kind: "MARKET", stopLoss: "49000" }, CONTRACT), {
    symbol: "BTCUSDT",
    side: "BUY",
    positionSide: "LONG",
    type: "MARKET",
    quantity: "0.01",
    slTriggerPrice: "49000",
    SlWorkingType: "CONTRACT_PRICE",
  });
  const closing = { ...DRAFT, side: "SELL", closes: true, stopLoss: "49000" } as const;
  assert.equal("slTriggerPrice" in contractOrderOf(closing, CONTRACT), false);
  const exits = { takeProfit: "60000", exitTrigger: "MARK_PRICE" } as const;
  const stop = { ...DRAFT, triggerPrice: "51000", trigger: "MARK_PRICE", ...exits } as const;
  assert.deepEqual(algoOrderOf(stop, "STOP", CONTRACT), {
    symbol: "BTCUSDT",
    side: "BUY",
    positionSide: "LONG",
    type: "STOP",
    quantity: "0.01",
    presetTakeProfitPrice: "60000",
    TpWorkingType: "MARK_PRICE",
    triggerPrice: "51000",
    workingType: "MARK_PRICE",
    price: "50000.05",
  });
  const trailing = algoOrderOf(stop, "TRAILING_STOP_MARKET", CONTRACT);
  assert.equal(trailing.callbackRate, "1");
  assert.equal("triggerPrice" in trailing || "workingType" in trailing, false);
});

test("exits on the wrong side of the entry are said before they are sent", () => {
  const of = (change: Partial<Draft>) =>
    problemsOf(
      { ...DRAFT, takeProfit: "50000", stopLoss: "51000", ...change },
      CONTRACT,
      "50000.05",
    );
  assert.match(of({}).takeProfit ?? "", /take-profit of a long must be above 50,000.05/);
  assert.match(of({}).stopLoss ?? "", /stop-loss of a long must be below 50,000.05/);
  assert.deepEqual(of({ side: "SELL" }), {});
  assert.deepEqual(of({ kind: "STOP_MARKET", triggerPrice: "60000" }), {});
});

test("an opening market order has a maximum of its own", () => {
  const rules = { ...CONTRACT, maxMarketOpen: "2" };
  const of = (change: Partial<Draft>) =>
    problemsOf({ ...DRAFT, kind: "MARKET", quantity: "3", ...change }, rules).quantity ?? "";
  assert.match(of({}), /at most 2 BTC/);
  assert.equal(of({ closes: true }), "");
  assert.equal(of({ kind: "LIMIT" }), "");
});
