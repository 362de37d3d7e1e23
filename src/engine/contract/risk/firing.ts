/** Fires a conditional order whose price is reached: it places the order that was waiting. */
import { POSITION_SIDES } from "../../../domain/index.ts";
import type { Context } from "../../state.ts";
import {
  beginFiring,
  childPlaced,
  childTimeInForce,
  endUnplaced,
} from "../conditional/conditional-lifecycle.ts";
import { hasPrice } from "../conditional/conditional-terms.ts";
import { checkOrder, executeOrder } from "../orders/place-order.ts";
import type { ConditionalOrder } from "../state/contract-market.ts";
import type { AttachedTerms, ContractOrderRequest } from "../state/order-terms.ts";

/**
 * Fires an order that `takeReached` returned. Its child is checked like any order; when that is
 * refused or nothing is left to close, the conditional order is cancelled.
 */
export function fireConditional(context: Context, order: ConditionalOrder): void {
  beginFiring(context, order);
  const lots = childLots(order);
  if (lots <= 0) {
    endUnplaced(context, order);
    return;
  }
  const checked = checkOrder(context, childRequest(order, lots));
  if (checked.ok) childPlaced(context, order, executeOrder(context, checked.value));
  else endUnplaced(context, order);
}

/** A closing child takes at most what no resting order reserves. */
function childLots({ owner, positionSide, quantityLots, reduceOnly }: ConditionalOrder): number {
  if (!reduceOnly) return quantityLots;
  const closableLots = owner.sideLots[positionSide] - owner.restingCloseLots[positionSide];
  return quantityLots === 0 ? closableLots : Math.min(quantityLots, closableLots);
}

function childRequest(order: ConditionalOrder, lots: number): ContractOrderRequest {
  const { algoId, owner } = order;
  return {
    user: owner.account.user,
    market: owner.market,
    side: order.side,
    positionSide: POSITION_SIDES[order.positionSide],
    orderType: hasPrice(order) ? "LIMIT" : "MARKET",
    timeInForce: childTimeInForce(order),
    price: null,
    priceTicks: order.priceTicks,
    quantityLots: lots,
    quantity: "",
    clientOrderId: `algo-${algoId}`,
    origin: "algo",
    algoId,
    targetPositionId: 0,
    attached: presetsOf(order),
  };
}

/** The preset take-profit and stop-loss are attached to the placed order. */
function presetsOf({ takeProfit, stopLoss }: ConditionalOrder): AttachedTerms | null {
  if (takeProfit === null && stopLoss === null) return null;
  return {
    tpTicks: takeProfit?.ticks ?? 0,
    slTicks: stopLoss?.ticks ?? 0,
    tpWorkingType: takeProfit?.workingType ?? "CONTRACT_PRICE",
    slWorkingType: stopLoss?.workingType ?? "CONTRACT_PRICE",
  };
}
