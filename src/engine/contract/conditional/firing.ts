/** A conditional order whose price is reached places the order it was waiting to place. */
import { POSITION_SIDES } from "../../../domain/index.ts";
import type { Context } from "../../state.ts";
import {
  beginFiring,
  childPlaced,
  childTimeInForce,
  endUnplaced,
} from "../orders/conditional-lifecycle.ts";
import { checkOrder, executeOrder } from "../orders/place-order.ts";
import type { AlgoOrder } from "../state/contract-market.ts";
import type { AttachedTerms, ContractOrderRequest } from "../state/order-terms.ts";
import { hasPrice } from "./conditional-terms.ts";

/**
 * Fires a row that `takeReached` gave out. Its child is checked like any order: refused, or with
 * nothing left to close, the row is cancelled.
 */
export function fireAlgo(context: Context, algo: AlgoOrder): void {
  beginFiring(context, algo);
  const lots = childLots(algo);
  if (lots <= 0) {
    endUnplaced(context, algo);
    return;
  }
  const checked = checkOrder(context, childRequest(algo, lots));
  if (checked.ok) childPlaced(context, algo, executeOrder(context, checked.value));
  else endUnplaced(context, algo);
}

/** A closing child takes at most what no resting order is about to close. */
function childLots({ owner, positionSide, quantityLots, reduceOnly }: AlgoOrder): number {
  if (!reduceOnly) return quantityLots;
  const closableLots = owner.sideLots[positionSide] - owner.restingCloseLots[positionSide];
  return quantityLots === 0 ? closableLots : Math.min(quantityLots, closableLots);
}

function childRequest(algo: AlgoOrder, lots: number): ContractOrderRequest {
  const { algoId, owner } = algo;
  return {
    user: owner.account.user,
    market: owner.market,
    side: algo.side,
    positionSide: POSITION_SIDES[algo.positionSide],
    orderType: hasPrice(algo) ? "LIMIT" : "MARKET",
    timeInForce: childTimeInForce(algo),
    price: null,
    priceTicks: algo.priceTicks,
    quantityLots: lots,
    quantity: "",
    clientOrderId: `algo-${algoId}`,
    origin: "algo",
    algoId,
    targetPositionId: 0,
    attached: presetsOf(algo),
  };
}

/** What the row was preset with is attached to the order that it places. */
function presetsOf({ takeProfit, stopLoss }: AlgoOrder): AttachedTerms | null {
  if (takeProfit === null && stopLoss === null) return null;
  return {
    tpTicks: takeProfit?.ticks ?? 0,
    slTicks: stopLoss?.ticks ?? 0,
    tpWorkingType: takeProfit?.workingType ?? "CONTRACT_PRICE",
    slWorkingType: stopLoss?.workingType ?? "CONTRACT_PRICE",
  };
}
