/**
 * Entries of the private channels on spot, with the names that public clients read. Ids and times
 * are text. They must not contain `positionSide`: clients treat an entry that has it as a contract.
 */
import { cancelReason } from "../../api/order-words.ts";
import type { OrderType, Side, TimeInForce } from "../../domain/index.ts";
import type { EventOf } from "../../protocol/index.ts";
import {
  type Instruments,
  type Listing,
  priceText,
  quantityText,
} from "../channels/instruments.ts";
import type { FillTotals, OrderState } from "./order-tracker.ts";
import type { FeeRates } from "./user-fee-rates.ts";

export interface SpotTerms {
  readonly orderId: number;
  readonly symbol: string;
  readonly clientOrderId: string;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  readonly price: string;
  readonly size: string;
  /** The requested quote amount; "0" for an order by quantity. */
  readonly value: string;
  readonly createdMs: number;
}

/**
 * Clients expect the fields of conditional orders in every order; these values mean that it is
 * none.
 */
export const UNCONDITIONAL = {
  triggerPrice: "0",
  openTpslParentOrderId: "0",
  setOpenTp: false,
  setOpenSl: false,
  triggerTime: "0",
  triggerPriceTime: "0",
  triggerPriceValue: "0",
} as const;

export function fillPrices(totals: FillTotals, listing: Listing) {
  return {
    latestFillPrice: priceText(listing, totals.latestTicks),
    maxFillPrice: priceText(listing, totals.maxTicks),
    minFillPrice: priceText(listing, totals.minTicks),
  };
}

export function spotOrderEntry(
  { terms, totals, status, reason, updatedMs }: OrderState<SpotTerms>,
  listing: Listing,
  instruments: Instruments,
  { makerFeeRate, takerFeeRate }: FeeRates,
) {
  const { baseAsset, quoteAsset } = listing;
  const feeAsset = terms.side === "BUY" ? baseAsset : quoteAsset;
  return {
    id: String(terms.orderId),
    symbol: terms.symbol,
    baseCoin: baseAsset,
    quoteCoin: quoteAsset,
    orderSide: terms.side,
    price: terms.price,
    size: terms.size,
    value: terms.value,
    clientOrderId: terms.clientOrderId,
    type: terms.orderType,
    timeInForce: terms.timeInForce,
    reduceOnly: false,
    orderSource: "API",
    ...UNCONDITIONAL,
    takerFeeRate,
    makerFeeRate,
    feeDiscount: "1",
    takerFeeDiscount: "1",
    makerFeeDiscount: "1",
    status,
    cancelReason: cancelReason(reason),
    ...fillPrices(totals, listing),
    cumFillSize: quantityText(listing, totals.lots),
    cumFillValue: instruments.amountText(quoteAsset, totals.valueMinor),
    cumFillFee: instruments.amountText(feeAsset, totals.feeMinor),
    createdTime: String(terms.createdMs),
    updatedTime: String(updatedMs),
  };
}

/** One side of a match; its id is that of the trade. */
export function spotFillEntry(
  trade: EventOf<"spot-trade">,
  role: "maker" | "taker",
  listing: Listing,
  instruments: Instruments,
  timestampMs: number,
) {
  const { baseAsset, quoteAsset } = listing;
  const isBuy = (trade.takerSide === "BUY") === (role === "taker");
  const feeMinor = role === "maker" ? trade.makerFeeMinor : trade.takerFeeMinor;
  return {
    id: String(trade.tradeId),
    symbol: trade.symbol,
    baseCoin: baseAsset,
    quoteCoin: quoteAsset,
    orderId: String(role === "maker" ? trade.makerOrderId : trade.takerOrderId),
    orderSide: isBuy ? "BUY" : "SELL",
    fillSize: quantityText(listing, trade.quantityLots),
    fillValue: instruments.amountText(quoteAsset, trade.quoteMinor),
    fillFee: instruments.amountText(isBuy ? baseAsset : quoteAsset, feeMinor),
    direction: role === "maker" ? "MAKER" : "TAKER",
    createdTime: String(timestampMs),
    updatedTime: String(timestampMs),
  };
}
