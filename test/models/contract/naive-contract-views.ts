/** Query answers of the reference exchange of contracts, in the shapes of the engine's answers. */
import { sum, text } from "../../support/exact.ts";
import { naiveTotals } from "../naive-views.ts";
import { timeInForceOf } from "./naive-conditional-orders.ts";
import { type NaiveContractExchange, settingsView } from "./naive-contract-exchange.ts";
import { direction, nearest, ONE } from "./rounding.ts";

/** Average prices have eight decimals. */
const PRICE_UNIT = 10n ** 10n;

export function naiveContractBalances(exchange: NaiveContractExchange, uid: number): unknown[] {
  const assets = new Set([...exchange.contracts.values()].map(({ rules }) => rules.quote.asset));
  return [...assets].map((asset) => {
    const own = exchange
      .positionsOf(uid)
      .filter(({ symbol }) => exchange.market(symbol).rules.quote.asset === asset);
    const frozen = text(exchange.orderMargin(uid, asset));
    return {
      asset,
      balance: text(exchange.wallet(uid, asset)),
      availableBalance: text(exchange.availableBalance(uid, asset)),
      frozen,
      unrealizePnl: text(sum(own.map((position) => exchange.pnlOf(position)))),
      available: text(exchange.cash(uid, asset)),
      orderMargin: frozen,
      positionMargin: text(exchange.isolatedMargins(uid, asset)),
    };
  });
}

export function naivePositions(exchange: NaiveContractExchange, uid: number): unknown[] {
  return exchange.positionsOf(uid).map((position) => {
    const { id, symbol, side, marginType } = position;
    return {
      id,
      asset: exchange.market(symbol).rules.quote.asset,
      symbol,
      side,
      marginType,
      separatedMode: position.separatedOpenOrderId === 0 ? "COMBINED" : "SEPARATED",
      separatedOpenOrderId: position.separatedOpenOrderId,
      leverage: String(exchange.leverage(uid, symbol, side)),
      size: text(position.size),
      openValue: text(position.openValue),
      openFee: text(position.openFee),
      fundingFee: text(position.fundingFee),
      marginSize: text(exchange.marginSize(position)),
      isolatedMargin: text(position.margin),
      isAutoAppendIsolatedMargin: position.autoAppend,
      cumOpenSize: text(position.cumOpenSize),
      cumOpenValue: text(position.cumOpenValue),
      cumOpenFee: text(position.cumOpenFee),
      cumCloseSize: text(position.cumCloseSize),
      cumCloseValue: text(position.cumCloseValue),
      cumCloseFee: text(position.cumCloseFee),
      cumFundingFee: text(position.cumFundingFee),
      cumLiquidateFee: text(position.cumLiquidateFee),
      createdMatchSequenceId: position.createdSequence,
      updatedMatchSequenceId: position.updatedSequence,
      createdTime: position.createdMs,
      updatedTime: position.updatedMs,
      unrealizePnl: text(exchange.pnlOf(position)),
      liquidatePrice: text(exchange.liquidatePrice(position)),
    };
  });
}

export function naiveContractOpenOrders(exchange: NaiveContractExchange, uid: number): unknown[] {
  return exchange.openContractOrders(uid, null).map((order) => ({
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    symbol: order.symbol,
    uid,
    side: order.side,
    positionSide: order.positionSide,
    orderType: order.orderType,
    timeInForce: order.timeInForce,
    status: "NEW",
    price: text(order.price),
    quantity: text(order.quantity),
    filledQuantity: text(order.filled),
    filledValue: text(order.filledValue),
    avgPrice: averageOf(order.filledValue, order.filled),
    reduceOnly: order.isClosing,
    createdMs: order.createdMs,
    updatedMs: order.updatedMs,
  }));
}

function averageOf(value: bigint, quantity: bigint): string {
  return quantity === 0n ? "0" : text(nearest(value * ONE, quantity, PRICE_UNIT));
}

export function naiveOpenConditionalOrders(
  exchange: NaiveContractExchange,
  uid: number,
): unknown[] {
  return exchange.openConditionalOrders(uid, null).map((conditional) => ({
    algoId: conditional.algoId,
    clientAlgoId: conditional.clientAlgoId,
    orderType: conditional.orderType,
    symbol: conditional.symbol,
    side: conditional.side,
    positionSide: conditional.positionSide,
    timeInForce: timeInForceOf(conditional.orderType),
    quantity: text(conditional.quantity),
    status: conditional.status,
    actualOrderId: null,
    actualPrice: "0",
    triggerPrice: text(exchange.triggerOf(conditional)),
    price: text(conditional.price),
    tpTriggerPrice: conditional.takeProfit === null ? null : text(conditional.takeProfit.price),
    tpPrice: conditional.takeProfit === null ? null : "0",
    slTriggerPrice: conditional.stopLoss === null ? null : text(conditional.stopLoss.price),
    slPrice: conditional.stopLoss === null ? null : "0",
    tpOrderType: conditional.takeProfit === null ? null : conditional.tpWorkingType,
    workingType: conditional.workingType,
    closePosition: conditional.closePosition,
    reduceOnly: conditional.reduceOnly,
    createdMs: conditional.createdMs,
    updatedMs: conditional.updatedMs,
    triggeredMs: conditional.triggeredMs,
  }));
}

export function naiveContractSettings(exchange: NaiveContractExchange, uid: number): unknown[] {
  return [...exchange.contracts.keys()].map((symbol) => ({
    symbol,
    ...settingsView(exchange.settings(uid, symbol)),
  }));
}

export function naiveContractPrices(exchange: NaiveContractExchange, nowMs: number): unknown[] {
  exchange.nowMs = nowMs;
  return [...exchange.contracts.values()].map((market) => {
    const { symbol, rules } = market;
    const longs = exchange.positions.filter((p) => p.symbol === symbol && p.side === "LONG");
    return {
      symbol,
      markPrice: text(market.mark),
      indexPrice: text(market.indexPrice),
      indexMs: market.indexMs,
      isStale: !exchange.isFresh(market),
      isPinned: market.pinned > 0n,
      lastPrice: text(market.last),
      openInterest: text(sum(longs.map(({ size }) => size))),
      forecastFundingRate: text(exchange.forecastRate(market)),
      lastFundingRate: text(market.lastRate),
      interestRate: text(rules.interest),
      nextFundingMs: market.nextSlotMs,
      fundingIntervalMinutes: rules.intervalMs / 60_000,
    };
  });
}

/** The ledger's totals of an asset, with what contracts add to those of spot. */
export function naiveContractTotals(
  exchange: NaiveContractExchange,
  asset: string,
): Record<string, string> {
  const total = (of: (uid: number) => bigint) => text(sum([...exchange.users.keys()].map(of)));
  const open = exchange.positions
    .filter(({ symbol }) => exchange.market(symbol).rules.quote.asset === asset)
    .map((position) => direction(position.side) * position.openValue);
  return {
    ...naiveTotals(exchange, asset),
    "contract.available": total((uid) => exchange.cash(uid, asset)),
    "contract.order-margin": total((uid) => exchange.orderMargin(uid, asset)),
    "contract.position-margin": total((uid) => exchange.isolatedMargins(uid, asset)),
    "pnl-clearing": text(-sum(open)),
    rounding: text(exchange.house("rounding", asset)),
  };
}
