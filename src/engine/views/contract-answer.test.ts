/**
 * Proves what callers are told of contracts: markets, prices, books and tickers, and of a user the
 * balances, positions, orders, conditional orders, settings and rates; somebody else's order is no
 * order, and what does not exist is refused. The numbers are those of a worked example: one LONG at
 * 60000 with leverage 20, of which 0.4 is closed at 61500.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  EXAMPLE_RULES,
  SYMBOL,
  TradingFixture,
} from "../../../test/support/engine/trading-fixture.ts";
import type { ContractQuery, QueryAnswers } from "../../protocol/index.ts";
import { setFeeRatesOf } from "../accounts/user.ts";
import { placeConditionalOrder } from "../contract/conditional/conditional-orders.ts";
import type { SymbolAccount } from "../contract/state/contract-market.ts";
import { answerQuery } from "./answer.ts";

/** What these questions do not ask for. */
const UNASKED = { stateHash: () => "", lastEvents: () => new Uint8Array() };

type Query<Type> = Extract<ContractQuery, { readonly type: Type }>;

/** The state of the worked example, with a few resting orders. */
class Example extends TradingFixture {
  readonly alice: SymbolAccount;
  readonly bob: SymbolAccount;

  constructor() {
    super();
    this.alice = this.addUser(2, "10000", "ISOLATED");
    this.bob = this.addUser(3, "100000");
    this.addUser(4, "0");
    this.setMark("60000");
    this.must(this.bob, "SELL SHORT", "1", "60000");
    this.context.nowMs = 2_000;
    this.must(this.alice, "BUY LONG", "1");
    this.setMark("61000");
    this.context.nowMs = 3_000;
    this.must(this.bob, "BUY SHORT", "0.4", "61500");
    this.must(this.alice, "SELL LONG", "0.4");
    this.setMark("61500");
    this.context.nowMs = 4_000;
    this.must(this.alice, "BUY LONG", "0.01", "61000.5", { clientOrderId: "bid-1" });
    this.must(this.bob, "SELL SHORT", "0.02", "62000");
    this.must(this.bob, "BUY LONG", "0.01", "61000.5");
  }

  must(...order: Parameters<TradingFixture["place"]>): void {
    const placed = this.place(...order);
    assert.ok(placed.ok, JSON.stringify(placed));
  }

  ask<Type extends ContractQuery["type"]>(query: Query<Type>): QueryAnswers[Type] {
    const answer = answerQuery(this.state, query, 5_000, UNASKED);
    assert.ok(answer.ok, JSON.stringify(answer));
    return answer.value as QueryAnswers[Type];
  }

  /** Why a question is refused, and for which of its fields. */
  refusal(query: ContractQuery): string {
    const answer = answerQuery(this.state, query, 5_000, UNASKED);
    return answer.ok ? "answered" : `${answer.reason} ${answer.field}`;
  }
}

test("a position and its account after a partial close", () => {
  const fixture = new Example();
  const [position, ...others] = fixture.ask({ type: "contract-positions", uid: 2, symbol: null });
  assert.deepEqual(others, []);
  assert.deepEqual(position, {
    id: position?.id,
    asset: "USDT",
    symbol: SYMBOL,
    side: "LONG",
    marginType: "ISOLATED",
    separatedMode: "COMBINED",
    separatedOpenOrderId: 0,
    leverage: "20",
    size: "0.6",
    openValue: "36000",
    openFee: "28.8",
    fundingFee: "0",
    marginSize: "1800",
    isolatedMargin: "1800",
    isAutoAppendIsolatedMargin: false,
    cumOpenSize: "1",
    cumOpenValue: "60000",
    cumOpenFee: "48",
    cumCloseSize: "0.4",
    cumCloseValue: "24600",
    cumCloseFee: "19.68",
    cumFundingFee: "0",
    cumLiquidateFee: "0",
    createdMatchSequenceId: position?.createdMatchSequenceId,
    updatedMatchSequenceId: (position?.createdMatchSequenceId ?? 0) + 2,
    createdTime: 2_000,
    updatedTime: 3_000,
    unrealizePnl: "900",
    liquidatePrice: "57332.5",
  });
  const [balance] = fixture.ask({ type: "contract-balances", uid: 2 });
  // 10000 − 48 + 600 − 19.68; the resting bid freezes 610.005 / 20 and the fee of taking.
  assert.deepEqual(balance, {
    asset: "USDT",
    balance: "10532.32",
    availableBalance: "8701.331746",
    frozen: "30.988254",
    unrealizePnl: "900",
    available: "8701.331746",
    orderMargin: "30.988254",
    positionMargin: "1800",
  });
});

test("a cross position tells the margin at the mark, and none of its own", () => {
  const fixture = new Example();
  const [position] = fixture.ask({ type: "contract-positions", uid: 3, symbol: SYMBOL });
  assert.equal(position?.side, "SHORT");
  assert.equal(position?.size, "0.6");
  assert.equal(position?.marginSize, "1845");
  assert.equal(position?.isolatedMargin, "0");
  assert.equal(position?.unrealizePnl, "-900");
  const [balance] = fixture.ask({ type: "contract-balances", uid: 3 });
  assert.equal(balance?.positionMargin, "0");
  assert.equal(balance?.unrealizePnl, "-900");
});

test("who has nothing is told so in every margin asset", () => {
  const fixture = new Example();
  assert.deepEqual(fixture.ask({ type: "contract-positions", uid: 4, symbol: null }), []);
  assert.deepEqual(fixture.ask({ type: "contract-open-orders", uid: 4, symbol: null }), []);
  assert.deepEqual(fixture.ask({ type: "algo-open-orders", uid: 4, symbol: SYMBOL }), []);
  const [balance, ...others] = fixture.ask({ type: "contract-balances", uid: 4 });
  assert.deepEqual(others, []);
  const { asset, ...amounts } = balance ?? { asset: "" };
  assert.equal(asset, "USDT");
  assert.deepEqual(new Set(Object.values(amounts)), new Set(["0"]));
});

test("an open order is found by either id, and only by its owner", () => {
  const fixture = new Example();
  const [order, ...others] = fixture.ask({ type: "contract-open-orders", uid: 2, symbol: SYMBOL });
  assert.deepEqual(others, []);
  assert.deepEqual(order, {
    orderId: order?.orderId,
    clientOrderId: "bid-1",
    symbol: SYMBOL,
    uid: 2,
    side: "BUY",
    positionSide: "LONG",
    orderType: "LIMIT",
    timeInForce: "GTC",
    status: "NEW",
    price: "61000.5",
    quantity: "0.01",
    filledQuantity: "0",
    filledValue: "0",
    avgPrice: "0",
    reduceOnly: false,
    createdMs: 4_000,
    updatedMs: 4_000,
  });
  const byId = {
    type: "contract-order",
    orderId: order?.orderId ?? 0,
    clientOrderId: null,
  } as const;
  const byName = { type: "contract-order", orderId: null, clientOrderId: "bid-1" } as const;
  assert.deepEqual(fixture.ask({ ...byId, uid: 2 }), order);
  assert.deepEqual(fixture.ask({ ...byName, uid: 2 }), order);
  assert.equal(fixture.refusal({ ...byId, uid: 3 }), "order-not-found orderId");
  assert.equal(fixture.refusal({ ...byName, uid: 3 }), "order-not-found clientOrderId");
});

test("a partly filled order tells its average price", () => {
  const fixture = new Example();
  fixture.context.nowMs = 4_500;
  fixture.must(fixture.bob, "SELL SHORT", "0.004", "61000.5");
  const [order] = fixture.ask({ type: "contract-open-orders", uid: 2, symbol: null });
  assert.equal(order?.filledQuantity, "0.004");
  assert.equal(order?.filledValue, "244.002");
  assert.equal(order?.avgPrice, "61000.5");
  assert.equal(order?.updatedMs, 4_500);
});

test("a conditional order that waits", () => {
  const fixture = new Example();
  const placed = placeConditionalOrder(fixture.context, {
    type: "place-algo-order",
    uid: 2,
    symbol: SYMBOL,
    side: "SELL",
    positionSide: "LONG",
    orderType: "STOP",
    quantity: "0.2",
    closePosition: false,
    isTpSl: false,
    triggerPrice: "59000",
    price: "58990.5",
    workingType: "MARK_PRICE",
    clientAlgoId: "stop-1",
    presetTakeProfitPrice: null,
    presetStopLossPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
    callbackRate: "",
    activationPrice: null,
  });
  assert.ok(placed.ok, JSON.stringify(placed));
  assert.deepEqual(fixture.ask({ type: "algo-open-orders", uid: 2, symbol: null }), [
    {
      algoId: placed.value.algoId,
      clientAlgoId: "stop-1",
      orderType: "STOP",
      symbol: SYMBOL,
      side: "SELL",
      positionSide: "LONG",
      timeInForce: "GTC",
      quantity: "0.2",
      status: "UNTRIGGERED",
      actualOrderId: null,
      actualPrice: "0",
      triggerPrice: "59000",
      price: "58990.5",
      tpTriggerPrice: null,
      tpPrice: null,
      slTriggerPrice: null,
      slPrice: null,
      tpOrderType: null,
      workingType: "MARK_PRICE",
      closePosition: false,
      reduceOnly: true,
      createdMs: 4_000,
      updatedMs: 4_000,
      triggeredMs: 0,
    },
  ]);
});

test("a market as it was listed, its book and its ticker", () => {
  const fixture = new Example();
  const { type: _, actor: __, ...listed } = EXAMPLE_RULES;
  assert.deepEqual(fixture.ask({ type: "contract-markets", symbol: SYMBOL }), [
    { ...listed, quoteScale: 8, indexSource: "none", indexAgeMs: 5_000 },
  ]);
  const book = { bidPrice: "61000.5", bidQuantity: "0.02", askPrice: "62000", askQuantity: "0.02" };
  const ticker = { symbol: SYMBOL, ...book, lastPrice: "61500" };
  assert.deepEqual(fixture.ask({ type: "contract-book-tickers", symbol: null }), [ticker]);
  const depth = fixture.ask({ type: "contract-depth", symbol: SYMBOL, levels: 15 });
  assert.deepEqual(depth.bids, [["61000.5", "0.02"]]);
  assert.deepEqual(depth.asks, [["62000", "0.02"]]);
  assert.ok(depth.version > 0);
  assert.deepEqual(fixture.ask({ type: "contract-tickers", symbol: null }), [
    {
      ...ticker,
      priceChange: "1500",
      priceChangePercent: "0.025",
      trades: 2,
      baseVolume: "1.4",
      quoteVolume: "84600",
      high: "61500",
      low: "60000",
      open: "60000",
      close: "61500",
      highMs: 3_000,
      lowMs: 2_000,
      windowStartMs: 5_000 - 86_400_000,
      windowEndMs: 5_000,
      markPrice: "61500",
      indexPrice: "61500",
    },
  ]);
});

test("prices and funding of a market", () => {
  const fixture = new Example();
  const [prices] = fixture.ask({ type: "contract-prices", symbol: SYMBOL });
  assert.equal(prices?.markPrice, "61500");
  assert.equal(prices?.indexPrice, "61500");
  assert.equal(prices?.lastPrice, "61500");
  assert.equal(prices?.openInterest, "0.6");
  assert.equal(prices?.interestRate, "0.0001");
  assert.equal(prices?.fundingIntervalMinutes, 480);
  assert.equal(prices?.nextFundingMs, 8 * 3_600_000);
  assert.equal(prices?.isPinned, false);
});

test("a market without an index has had none at any time", () => {
  const { state } = new TradingFixture();
  const answer = answerQuery(state, { type: "contract-prices", symbol: SYMBOL }, 5_000, UNASKED);
  assert.ok(answer.ok);
  const [prices] = answer.value as QueryAnswers["contract-prices"];
  assert.deepEqual([prices?.indexPrice, prices?.indexMs, prices?.isStale], ["0", 0, true]);
});

test("settings and rates are the user's own where there are any", () => {
  const fixture = new Example();
  const settings = { separatedType: "COMBINED", crossLeverage: 20 } as const;
  const isolated = { isolatedLongLeverage: 20, isolatedShortLeverage: 20 };
  assert.deepEqual(fixture.ask({ type: "contract-settings", uid: 2, symbol: null }), [
    { symbol: SYMBOL, marginType: "ISOLATED", ...settings, ...isolated },
  ]);
  const query = { type: "contract-fee-rates", uid: 2, symbol: SYMBOL } as const;
  const listed = { symbol: SYMBOL, makerFeeRate: "0.0002", takerFeeRate: "0.0008" };
  assert.deepEqual(fixture.ask(query), listed);
  const own = { makerFeeRateE8: 0, takerFeeRateE8: 30_000 };
  setFeeRatesOf(fixture.alice.account.user, "contract", own);
  const rates = { symbol: SYMBOL, makerFeeRate: "0", takerFeeRate: "0.0003" };
  assert.deepEqual(fixture.ask(query), rates);
});

test("what does not exist is refused", () => {
  const fixture = new Example();
  const symbol = "NONE";
  for (const type of ["contract-markets", "contract-prices", "contract-tickers"] as const) {
    assert.equal(fixture.refusal({ type, symbol }), "unknown-symbol symbol");
  }
  assert.equal(fixture.refusal({ type: "contract-book-tickers", symbol }), "unknown-symbol symbol");
  assert.equal(
    fixture.refusal({ type: "contract-depth", symbol, levels: 5 }),
    "unknown-symbol symbol",
  );
  const ofUser = ["contract-positions", "contract-settings", "algo-open-orders"] as const;
  for (const type of ofUser) {
    assert.equal(fixture.refusal({ type, uid: 2, symbol }), "unknown-symbol symbol");
    assert.equal(fixture.refusal({ type, uid: 99, symbol: null }), "unknown-user uid");
  }
  const openOrders = { type: "contract-open-orders", uid: 2, symbol } as const;
  assert.equal(fixture.refusal(openOrders), "unknown-symbol symbol");
  const rates = { type: "contract-fee-rates", uid: 2, symbol } as const;
  assert.equal(fixture.refusal(rates), "unknown-symbol symbol");
  assert.equal(fixture.refusal({ type: "contract-balances", uid: 99 }), "unknown-user uid");
});
