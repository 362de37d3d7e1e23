/** Read models: the public tape of contracts, and a user's side of every match. */
import type { Side } from "../domain/index.ts";
import type { EventOf } from "../protocol/index.ts";
import type { Row } from "../store/index.ts";
import { type ContractMarket, marginText, priceText, quantityText } from "./instruments.ts";

type ContractTrade = EventOf<"contract-trade">;
export type ContractRole = "maker" | "taker";

/** Only what was matched in the book is a trade at the market's price. */
export function isInBook({ kind }: ContractTrade): boolean {
  return kind === "book" || kind === "liquidation";
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
