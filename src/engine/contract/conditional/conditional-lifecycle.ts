/**
 * The states of a conditional order after placement, and the event of every change. This layer is
 * below orders: fills, ends and closes call it, and it places nothing itself.
 * docs/concepts/conditional-orders.md draws the states.
 */
import {
  type AlgoStatus,
  divideRoundingHalfUp,
  invariant,
  type OrderStatus,
  POSITION_SIDES,
  powerOfTen,
  RATE_SCALE,
  type TimeInForce,
} from "../../../domain/index.ts";
import { NONE } from "../../matching/slot.ts";
import type { Context } from "../../state.ts";
import { triggerLevelTicks } from "../indexes/trigger-index.ts";
import type {
  ConditionalOrder,
  ContractMarketRules,
  PositionSideIndex,
  SymbolAccount,
} from "../state/contract-market.ts";
import type { ExecutedOrder } from "../state/order-terms.ts";

/** The average price of a child in 10^-8 of the quote asset, half up; 0 without a fill. */
export function averagePriceE8(
  rules: ContractMarketRules,
  filledLots: number,
  filledValueMinor: bigint,
): bigint {
  if (filledLots === 0) return 0n;
  const { quoteAsset, step } = rules;
  const quantity = BigInt(filledLots) * BigInt(step.step) * powerOfTen(quoteAsset.scale);
  const value = filledValueMinor * powerOfTen(step.scale) * powerOfTen(RATE_SCALE);
  return divideRoundingHalfUp(value, quantity);
}

/** Children of the types with a price rest; all others are market orders. */
export function childTimeInForce({ orderType }: Pick<ConditionalOrder, "orderType">): TimeInForce {
  return orderType === "STOP" || orderType === "TAKE_PROFIT" ? "GTC" : "IOC";
}

/** Adds a new order and emits its first event. */
export function addConditionalOrder(context: Context, order: ConditionalOrder): void {
  const { triggerIndex } = context.state.contract;
  triggerIndex.add(order);
  order.owner.conditionalOrders++;
  if (order.status === "UNTRIGGERED") triggerIndex.watch(order);
  emitChange(context, order, 0n);
}

/** Cancels an order that still waits. */
export function cancelConditional(context: Context, order: ConditionalOrder): void {
  endConditional(context, order, "CANCELED", 0n);
}

/** The condition holds: the order no longer waits, and its child is placed next. */
export function beginFiring(context: Context, order: ConditionalOrder): void {
  invariant(order.status === "UNTRIGGERED", "only an untriggered order fires");
  context.state.contract.triggerIndex.unwatch(order);
  // Never seen outside: the order leaves this state within the command.
  order.status = "PENDING";
  order.triggeredMs = context.nowMs;
  order.owner.conditionalOrders--;
}

/** The child could not be placed, or there was nothing to place it for. */
export function endUnplaced(context: Context, order: ConditionalOrder): void {
  invariant(order.status === "PENDING", "only an order that fires goes without a child");
  endConditional(context, order, "CANCELED", 0n);
}

/** The child was placed: the order ends with it at once, or waits until a resting child ends. */
export function childPlaced(context: Context, order: ConditionalOrder, child: ExecutedOrder): void {
  invariant(order.status === "PENDING", "only an order that fires has a child placed");
  order.actualOrderId = child.orderId;
  const { filledLots, filledValueMinor } = child;
  const { orders } = context.state.contract;
  if (child.status === "NEW" && orders.findById(child.orderId) !== NONE) {
    order.status = "TRIGGERED";
    order.updatedMs = context.nowMs;
    emitChange(context, order, 0n);
    return;
  }
  const status = child.status === "FILLED" ? "FILLED" : "CANCELED";
  const { rules } = order.owner.market;
  endConditional(context, order, status, averagePriceE8(rules, filledLots, filledValueMinor));
}

/** A resting child has ended. `childPlaced` handles a child that ends during its placement. */
export function childEnded(
  context: Context,
  algoId: number,
  status: OrderStatus,
  filledLots: number,
  filledValueMinor: bigint,
): void {
  const order = context.state.contract.triggerIndex.byId.get(algoId);
  if (order?.status !== "TRIGGERED") return;
  const { rules } = order.owner.market;
  const priceE8 = averagePriceE8(rules, filledLots, filledValueMinor);
  endConditional(context, order, status === "FILLED" ? "FILLED" : "CANCELED", priceE8);
}

/**
 * The parent of attached orders was filled, `filledLots` in total: they become active with its
 * first fill and cover what it has opened.
 */
export function parentProgressed(context: Context, orderId: number, filledLots: number): void {
  const { triggerIndex } = context.state.contract;
  for (const order of triggerIndex.ofParent(orderId)) {
    if (order.status !== "NEW" && order.status !== "UNTRIGGERED") continue;
    order.quantityLots = filledLots;
    if (order.status === "NEW") {
      order.status = "UNTRIGGERED";
      triggerIndex.watch(order);
    }
    order.updatedMs = context.nowMs;
    emitChange(context, order, 0n);
  }
}

/** The parent of attached orders was amended: its quantity is theirs until the first fill. */
export function parentAmended(context: Context, orderId: number, quantityLots: number): void {
  for (const order of context.state.contract.triggerIndex.ofParent(orderId)) {
    if (order.status !== "NEW" || order.quantityLots === quantityLots) continue;
    order.quantityLots = quantityLots;
    order.updatedMs = context.nowMs;
    emitChange(context, order, 0n);
  }
}

/** The parent of attached orders ended: without a fill they have nothing to close. */
export function parentEnded(context: Context, orderId: number, filledLots: number): void {
  if (filledLots > 0) return;
  for (const order of context.state.contract.triggerIndex.ofParent(orderId)) {
    if (order.status === "NEW") cancelConditional(context, order);
  }
}

/** The last position of a side is gone: its active reduce-only orders have nothing to close. */
export function sideEmptied(context: Context, owner: SymbolAccount, side: PositionSideIndex): void {
  for (const order of context.state.contract.triggerIndex.ofOwner(owner)) {
    const closesSide = order.reduceOnly && order.positionSide === side;
    if (closesSide && order.status === "UNTRIGGERED") cancelConditional(context, order);
  }
}

/** Emits the whole order as it is now. */
export function emitChange(context: Context, order: ConditionalOrder, actualPriceE8: bigint): void {
  const { owner, takeProfit, stopLoss } = order;
  context.emit({
    type: "algo-order-changed",
    algoId: order.algoId,
    uid: owner.account.user.uid,
    symbol: owner.market.symbol,
    clientAlgoId: order.clientAlgoId,
    orderType: order.orderType,
    side: order.side,
    positionSide: POSITION_SIDES[order.positionSide],
    timeInForce: childTimeInForce(order),
    quantityLots: order.quantityLots,
    closePosition: order.closePosition,
    reduceOnly: order.reduceOnly,
    status: order.status,
    parentOrderId: order.parentOrderId,
    actualOrderId: order.actualOrderId,
    actualPriceE8,
    triggerTicks: triggerLevelTicks(order),
    priceTicks: order.priceTicks,
    tpTriggerTicks: takeProfit?.ticks ?? 0,
    slTriggerTicks: stopLoss?.ticks ?? 0,
    tpWorkingType: takeProfit?.workingType ?? "CONTRACT_PRICE",
    slWorkingType: stopLoss?.workingType ?? "CONTRACT_PRICE",
    workingType: order.workingType,
    createdMs: order.createdMs,
    updatedMs: order.updatedMs,
    triggeredMs: order.triggeredMs,
  });
}

/**
 * The order is final: it is emitted once more, and only its client id is remembered for a while.
 */
function endConditional(
  context: Context,
  order: ConditionalOrder,
  status: AlgoStatus & ("FILLED" | "CANCELED"),
  actualPriceE8: bigint,
): void {
  const { triggerIndex, clientConditionalOrders } = context.state.contract;
  if (order.status === "NEW" || order.status === "UNTRIGGERED") order.owner.conditionalOrders--;
  triggerIndex.remove(order);
  order.status = status;
  order.updatedMs = context.nowMs;
  if (order.clientEntry !== NONE)
    clientConditionalOrders.markEnded(order.clientEntry, context.nowMs);
  emitChange(context, order, actualPriceE8);
}
