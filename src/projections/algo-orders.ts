/**
 * Read model: conditional orders that fired or ended. One that fired and whose order rests is
 * written again when that order ends.
 */
import { formatDecimal, RATE_SCALE } from "../domain/index.ts";
import type { EventOf } from "../protocol/index.ts";
import type { Row } from "../store/index.ts";
import { type ContractMarket, priceText, quantityText } from "./instruments.ts";

/** Null for one that still waits. */
export function algoOrderRow(
  event: EventOf<"algo-order-changed">,
  market: ContractMarket,
): Row<"algo_orders"> | null {
  const { status } = event;
  if (status !== "TRIGGERED" && status !== "FILLED" && status !== "CANCELED") return null;
  return {
    algo_id: event.algoId,
    uid: event.uid,
    symbol: event.symbol,
    client_algo_id: event.clientAlgoId,
    order_type: event.orderType,
    side: event.side,
    position_side: event.positionSide,
    time_in_force: event.timeInForce,
    quantity: quantityText(market, event.quantityLots),
    close_position: event.closePosition ? 1 : 0,
    reduce_only: event.reduceOnly ? 1 : 0,
    status,
    parent_order_id: event.parentOrderId,
    actual_order_id: event.actualOrderId,
    actual_price: formatDecimal(event.actualPriceE8, RATE_SCALE),
    trigger_price: priceText(market, event.triggerTicks),
    price: priceText(market, event.priceTicks),
    tp_trigger_price: priceText(market, event.tpTriggerTicks),
    sl_trigger_price: priceText(market, event.slTriggerTicks),
    tp_working_type: event.tpWorkingType,
    sl_working_type: event.slWorkingType,
    working_type: event.workingType,
    created_ms: event.createdMs,
    updated_ms: event.updatedMs,
    triggered_ms: event.triggeredMs,
  };
}
