/** Read model: contract orders that ended, whichever way. */
import type { EventOf } from "../protocol/index.ts";
import type { Row } from "../store/index.ts";
import {
  averagePriceText,
  type ContractMarket,
  marginText,
  priceText,
  quantityText,
} from "./instruments.ts";

export function endedContractOrderRow(
  event: EventOf<"contract-order-ended">,
  market: ContractMarket,
  timestampMs: number,
): Row<"ended_contract_orders"> {
  return {
    order_id: event.orderId,
    uid: event.uid,
    symbol: event.symbol,
    client_order_id: event.clientOrderId,
    side: event.side,
    position_side: event.positionSide,
    order_type: event.orderType,
    time_in_force: event.timeInForce,
    origin: event.origin,
    algo_id: event.algoId,
    price: priceText(market, event.priceTicks),
    quantity: quantityText(market, event.quantityLots),
    filled_quantity: quantityText(market, event.filledLots),
    filled_value: marginText(market, event.filledValueMinor),
    avg_price: averagePriceText(market, event.filledLots, event.filledValueMinor),
    status: event.status,
    reason: event.reason,
    created_ms: event.createdMs,
    ended_ms: timestampMs,
  };
}
