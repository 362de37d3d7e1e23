/**
 * Take-profit and stop-loss orders attached to an opening order. They are conditional orders of
 * their own: they wait for the first fill of their parent and cover what it has opened.
 */
import { type Rejection, reject, type WorkingType } from "../../../domain/index.ts";
import { NONE } from "../../matching/slot.ts";
import type { Context } from "../../state.ts";
import { symbolAccountOf } from "../contract-state.ts";
import { LONG, type PositionSideIndex } from "../state/contract-market.ts";
import type { AttachedTerms, ContractOrderTerms } from "../state/order-terms.ts";
import { addConditionalOrder } from "./conditional-lifecycle.ts";

/**
 * Refuses a take profit that is not beyond, and a stop loss that is not before the reference price:
 * both strictly, as the position gains. A reference of 0 is no price yet, and refuses nothing.
 */
export function checkAttachedSides(
  positionSide: PositionSideIndex,
  { tpTicks, slTicks }: Pick<AttachedTerms, "tpTicks" | "slTicks">,
  referenceTicks: number,
  fields: { readonly takeProfit: string; readonly stopLoss: string },
): Rejection | null {
  if (referenceTicks === 0) return null;
  const direction = positionSide === LONG ? 1 : -1;
  if (tpTicks > 0 && direction * (tpTicks - referenceTicks) <= 0) {
    const side = positionSide === LONG ? "above" : "below";
    return reject("trigger-on-wrong-side", fields.takeProfit, `${side} the price of the order`);
  }
  if (slTicks > 0 && direction * (slTicks - referenceTicks) >= 0) {
    const side = positionSide === LONG ? "below" : "above";
    return reject("trigger-on-wrong-side", fields.stopLoss, `${side} the price of the order`);
  }
  return null;
}

/**
 * Creates the attached orders of an order that was just accepted, take-profit first: their ids
 * follow the parent's. They are not in the index of client ids, which is for ids of users.
 */
export function createAttached(
  context: Context,
  parent: ContractOrderTerms,
  parentOrderId: number,
): void {
  const { attached } = parent;
  if (attached === null) return;
  const { tpTicks, slTicks, tpWorkingType, slWorkingType } = attached;
  if (tpTicks > 0) attach(context, parent, parentOrderId, "tp", tpTicks, tpWorkingType);
  if (slTicks > 0) attach(context, parent, parentOrderId, "sl", slTicks, slWorkingType);
}

function attach(
  context: Context,
  parent: ContractOrderTerms,
  parentOrderId: number,
  kind: "tp" | "sl",
  triggerTicks: number,
  workingType: WorkingType,
): void {
  const { state } = context;
  addConditionalOrder(context, {
    algoId: state.nextOrderId++,
    owner: symbolAccountOf(state, parent.user, parent.market),
    clientAlgoId: `${parentOrderId}-${kind}`,
    clientEntry: NONE,
    orderType: kind === "tp" ? "TAKE_PROFIT_MARKET" : "STOP_MARKET",
    side: parent.positionSide === LONG ? "SELL" : "BUY",
    positionSide: parent.positionSide,
    quantityLots: parent.quantityLots,
    closePosition: false,
    reduceOnly: true,
    status: "NEW",
    parentOrderId,
    actualOrderId: 0,
    triggerTicks,
    priceTicks: 0,
    workingType,
    takeProfit: null,
    stopLoss: null,
    callbackRateE8: 0,
    activationTicks: 0,
    extremeTicks: 0,
    createdMs: context.nowMs,
    updatedMs: context.nowMs,
    triggeredMs: 0,
    heapItem: NONE,
  });
}
