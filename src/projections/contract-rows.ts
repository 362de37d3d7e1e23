/**
 * Rows of the contract side: ended orders, conditional orders, the public tape, each user's side of
 * a match, and funding rates.
 */
import { formatDecimal, RATE_SCALE, type Side } from "../domain/index.ts";
import type { EventOf } from "../protocol/index.ts";
import type { Row } from "../store/index.ts";
import {
  averagePriceText,
  type ContractMarket,
  marginText,
  priceText,
  quantityText,
} from "./instruments.ts";

type ContractTrade = EventOf<"contract-trade">;
export type ContractRole = "maker" | "taker";

/** Only what was matched in the book is a trade at the market's price. */
export function isInBook({ kind }: ContractTrade): boolean {
  return kind === "book" || kind === "liquidation";
}

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

/**
 * Null for a pending one. One whose order rests after it fired is written again when that order
 * ends.
 */
export function conditionalOrderRow(
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

export function contractTradeRow(
  event: ContractTrade,
  market: ContractMarket,
  timestampMs: number,
): Row<"contract_trades"> {
  return {
    trade_id: event.tradeId,
    symbol: event.symbol,
    price: priceText(market, event.priceTicks),
    quantity: quantityText(market, event.quantityLots),
    value: marginText(market, event.valueMinor),
    taker_side: event.takerSide,
    time_ms: timestampMs,
  };
}

export function contractFillRow(
  event: ContractTrade,
  role: ContractRole,
  market: ContractMarket,
  timestampMs: number,
  fillId: number,
): Row<"contract_fills"> {
  const fill = event[role];
  return {
    fill_id: fillId,
    trade_id: event.tradeId,
    order_id: fill.orderId,
    uid: fill.uid,
    symbol: event.symbol,
    side: role === "taker" ? event.takerSide : opposite(event.takerSide),
    position_side: fill.positionSide,
    kind: event.kind,
    maker: role === "maker" && isInBook(event) ? 1 : 0,
    closing: fill.isClosing ? 1 : 0,
    price: priceText(market, event.priceTicks),
    quantity: quantityText(market, event.quantityLots),
    value: marginText(market, event.valueMinor),
    fee: marginText(market, fill.feeMinor),
    fee_asset: event.asset,
    realized_pnl: marginText(market, fill.realizedPnlMinor),
    wallet_after: marginText(market, fill.walletMinor),
    time_ms: timestampMs,
  };
}

function opposite(side: Side): Side {
  return side === "BUY" ? "SELL" : "BUY";
}

export function fundingRateRow(
  event: EventOf<"funding-settled">,
  market: ContractMarket,
): Row<"funding_rates"> {
  return {
    symbol: event.symbol,
    slot_ms: event.slotMs,
    rate: formatDecimal(event.rateE8, RATE_SCALE),
    index_price: priceText(market, event.indexTicks),
    mark_price: priceText(market, event.markTicks),
  };
}
