/**
 * The life of a conditional order after its placement, and the event of every change. Nothing here
 * places an order: who fills, ends or closes something reports it, and the rows that hang on it
 * change. The statuses and what leads from one to the next are drawn in
 * docs/concepts/conditional-orders.md.
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
  AlgoOrder,
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
export function childTimeInForce({ orderType }: Pick<AlgoOrder, "orderType">): TimeInForce {
  return orderType === "STOP" || orderType === "TAKE_PROFIT" ? "GTC" : "IOC";
}

/** A new row: its event is the first thing that is heard of it. */
export function addAlgoOrder(context: Context, algo: AlgoOrder): void {
  const { algoIndex } = context.state.contract;
  algoIndex.add(algo);
  algo.owner.algoOrders++;
  if (algo.status === "UNTRIGGERED") algoIndex.watch(algo);
  tellChange(context, algo, 0n);
}

/** Ends a row that still waits, for whatever reason but its child. */
export function cancelAlgo(context: Context, algo: AlgoOrder): void {
  endAlgo(context, algo, "CANCELED", 0n);
}

/** The condition holds: the row waits no more, and its child is about to be placed. */
export function beginFiring(context: Context, algo: AlgoOrder): void {
  invariant(algo.status === "UNTRIGGERED", "only an untriggered order fires");
  context.state.contract.algoIndex.unwatch(algo);
  // Nobody sees this one: the row leaves it before the next command.
  algo.status = "PENDING";
  algo.triggeredMs = context.nowMs;
  algo.owner.algoOrders--;
}

/** The child could not be placed, or there was nothing to place it for. */
export function endUnplaced(context: Context, algo: AlgoOrder): void {
  invariant(algo.status === "PENDING", "only an order that fires goes without a child");
  endAlgo(context, algo, "CANCELED", 0n);
}

/** The child was placed: the row ends with it at once, or waits for the end of what rests. */
export function childPlaced(context: Context, algo: AlgoOrder, child: ExecutedOrder): void {
  invariant(algo.status === "PENDING", "only an order that fires has a child placed");
  algo.actualOrderId = child.orderId;
  const { filledLots, filledValueMinor } = child;
  const { orders } = context.state.contract;
  if (child.status === "NEW" && orders.findById(child.orderId) !== NONE) {
    algo.status = "TRIGGERED";
    algo.updatedMs = context.nowMs;
    tellChange(context, algo, 0n);
    return;
  }
  const status = child.status === "FILLED" ? "FILLED" : "CANCELED";
  const { rules } = algo.owner.market;
  endAlgo(context, algo, status, averagePriceE8(rules, filledLots, filledValueMinor));
}

/** A child that rested has ended. What ends while it is being placed is `childPlaced`'s. */
export function childEnded(
  context: Context,
  algoId: number,
  status: OrderStatus,
  filledLots: number,
  filledValueMinor: bigint,
): void {
  const algo = context.state.contract.algoIndex.byId.get(algoId);
  if (algo?.status !== "TRIGGERED") return;
  const { rules } = algo.owner.market;
  const priceE8 = averagePriceE8(rules, filledLots, filledValueMinor);
  endAlgo(context, algo, status === "FILLED" ? "FILLED" : "CANCELED", priceE8);
}

/**
 * An order with attached rows was filled, in all `filledLots` so far: they become active with its
 * first fill, and cover what it has opened.
 */
export function parentProgressed(context: Context, orderId: number, filledLots: number): void {
  const { algoIndex } = context.state.contract;
  for (const algo of algoIndex.ofParent(orderId)) {
    if (algo.status !== "NEW" && algo.status !== "UNTRIGGERED") continue;
    algo.quantityLots = filledLots;
    if (algo.status === "NEW") {
      algo.status = "UNTRIGGERED";
      algoIndex.watch(algo);
    }
    algo.updatedMs = context.nowMs;
    tellChange(context, algo, 0n);
  }
}

/** An order with attached rows has another quantity: it is theirs until the first fill. */
export function parentAmended(context: Context, orderId: number, quantityLots: number): void {
  for (const algo of context.state.contract.algoIndex.ofParent(orderId)) {
    if (algo.status !== "NEW" || algo.quantityLots === quantityLots) continue;
    algo.quantityLots = quantityLots;
    algo.updatedMs = context.nowMs;
    tellChange(context, algo, 0n);
  }
}

/** An order with attached rows ended: without a fill there is nothing that they could close. */
export function parentEnded(context: Context, orderId: number, filledLots: number): void {
  if (filledLots > 0) return;
  for (const algo of context.state.contract.algoIndex.ofParent(orderId)) {
    if (algo.status === "NEW") cancelAlgo(context, algo);
  }
}

/**
 * The last position of a side is gone, and with it what its active reduce-only rows would close.
 */
export function sideEmptied(context: Context, owner: SymbolAccount, side: PositionSideIndex): void {
  for (const algo of context.state.contract.algoIndex.ofOwner(owner)) {
    const closesSide = algo.reduceOnly && algo.positionSide === side;
    if (closesSide && algo.status === "UNTRIGGERED") cancelAlgo(context, algo);
  }
}

/** Tells the whole row as it is now. */
export function tellChange(context: Context, algo: AlgoOrder, actualPriceE8: bigint): void {
  const { owner, takeProfit, stopLoss } = algo;
  context.emit({
    type: "algo-order-changed",
    algoId: algo.algoId,
    uid: owner.account.user.uid,
    symbol: owner.market.symbol,
    clientAlgoId: algo.clientAlgoId,
    orderType: algo.orderType,
    side: algo.side,
    positionSide: POSITION_SIDES[algo.positionSide],
    timeInForce: childTimeInForce(algo),
    quantityLots: algo.quantityLots,
    closePosition: algo.closePosition,
    reduceOnly: algo.reduceOnly,
    status: algo.status,
    parentOrderId: algo.parentOrderId,
    actualOrderId: algo.actualOrderId,
    actualPriceE8,
    triggerTicks: triggerLevelTicks(algo),
    priceTicks: algo.priceTicks,
    tpTriggerTicks: takeProfit?.ticks ?? 0,
    slTriggerTicks: stopLoss?.ticks ?? 0,
    tpWorkingType: takeProfit?.workingType ?? "CONTRACT_PRICE",
    slWorkingType: stopLoss?.workingType ?? "CONTRACT_PRICE",
    workingType: algo.workingType,
    createdMs: algo.createdMs,
    updatedMs: algo.updatedMs,
    triggeredMs: algo.triggeredMs,
  });
}

/** The row is final: it is told once more, and only its client id is remembered for a while. */
function endAlgo(
  context: Context,
  algo: AlgoOrder,
  status: AlgoStatus & ("FILLED" | "CANCELED"),
  actualPriceE8: bigint,
): void {
  const { algoIndex, clientAlgoOrders } = context.state.contract;
  if (algo.status === "NEW" || algo.status === "UNTRIGGERED") algo.owner.algoOrders--;
  algoIndex.remove(algo);
  algo.status = status;
  algo.updatedMs = context.nowMs;
  if (algo.clientEntry !== NONE) clientAlgoOrders.markEnded(algo.clientEntry, context.nowMs);
  tellChange(context, algo, actualPriceE8);
}
