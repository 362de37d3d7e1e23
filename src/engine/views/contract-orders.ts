/** Open contract orders and conditional orders as callers see them, in decimal text. */
import {
  formatDecimal,
  formatSteps,
  POSITION_SIDES,
  RATE_SCALE,
  SIDES,
  TIMES_IN_FORCE,
  type TimeInForce,
} from "../../domain/index.ts";
import type { AlgoOrderView, ContractOrderView } from "../../protocol/index.ts";
import { averagePriceE8, childTimeInForce } from "../contract/conditional/conditional-lifecycle.ts";
import { userConditionalOrders } from "../contract/conditional/conditional-orders.ts";
import { triggerLevelTicks } from "../contract/indexes/trigger-index.ts";
import { clientOrderIdOf, marketOfContractOrder } from "../contract/orders/resting-orders.ts";
import type { ConditionalOrder, ContractMarket } from "../contract/state/contract-market.ts";
import type { State, User } from "../state.ts";

export function contractOrderView({ contract }: State, slot: number): ContractOrderView {
  const { orders, extras } = contract;
  const { symbol, rules } = marketOfContractOrder(contract, slot);
  const progress = orders.progress(slot);
  const filledLots = orders.filledLots(slot);
  const filledMinor = progress?.filledQuoteMinor ?? 0n;
  const createdMs = extras.createdMs(slot);
  return {
    orderId: orders.orderId(slot),
    clientOrderId: clientOrderIdOf(contract, slot),
    symbol,
    uid: orders.uid(slot),
    side: SIDES[orders.side(slot)],
    positionSide: POSITION_SIDES[extras.positionSide(slot)],
    orderType: "LIMIT",
    timeInForce: TIMES_IN_FORCE[orders.timeInForce(slot)] as TimeInForce,
    status: "NEW",
    price: formatSteps(orders.priceTicks(slot), rules.tick),
    quantity: formatSteps(orders.quantityLots(slot), rules.step),
    filledQuantity: formatSteps(filledLots, rules.step),
    filledValue: formatDecimal(filledMinor, rules.quoteAsset.scale),
    avgPrice: formatDecimal(averagePriceE8(rules, filledLots, filledMinor), RATE_SCALE),
    reduceOnly: extras.isClosing(slot),
    createdMs,
    updatedMs: progress?.updatedMs ?? createdMs,
  };
}

/** A user's conditional orders that wait, in one market or all, by ascending id. */
export function conditionalOrderViews(
  state: State,
  user: User,
  market: ContractMarket | null,
): AlgoOrderView[] {
  return userConditionalOrders(state, user, market).map(conditionalOrderView);
}

function conditionalOrderView(order: ConditionalOrder): AlgoOrderView {
  const { owner, takeProfit, stopLoss } = order;
  const { tick, step } = owner.market.rules;
  const price = (ticks: number): string => formatSteps(ticks, tick);
  return {
    algoId: order.algoId,
    clientAlgoId: order.clientAlgoId,
    orderType: order.orderType,
    symbol: owner.market.symbol,
    side: order.side,
    positionSide: POSITION_SIDES[order.positionSide],
    timeInForce: childTimeInForce(order),
    quantity: formatSteps(order.quantityLots, step),
    status: order.status,
    actualOrderId: order.actualOrderId === 0 ? null : order.actualOrderId,
    actualPrice: "0",
    triggerPrice: price(triggerLevelTicks(order)),
    price: price(order.priceTicks),
    tpTriggerPrice: takeProfit === null ? null : price(takeProfit.ticks),
    tpPrice: takeProfit === null ? null : "0",
    slTriggerPrice: stopLoss === null ? null : price(stopLoss.ticks),
    slPrice: stopLoss === null ? null : "0",
    tpOrderType: takeProfit?.workingType ?? null,
    workingType: order.workingType,
    closePosition: order.closePosition,
    reduceOnly: order.reduceOnly,
    createdMs: order.createdMs,
    updatedMs: order.updatedMs,
    triggeredMs: order.triggeredMs,
  };
}
