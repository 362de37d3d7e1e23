/** The life of a resting order: it enters the book, and it ends. */
import {
  type EndReason,
  exactProduct,
  type OrderStatus,
  TIMES_IN_FORCE,
  type TimeInForce,
  toBigInt,
} from "../../domain/index.ts";
import type { EventOf } from "../../protocol/index.ts";
import { type AccountNumber, SPOT_AVAILABLE, SPOT_FROZEN } from "../ledger/ledger.ts";
import { BUY, type SideIndex } from "../matching/slot.ts";
import { type Context, type SpotMarket, type State, type User, userAccount } from "../state.ts";

/** What a resting order still reserves: quote at its own price for a buy, base for a sell. */
export function frozenByRestMinor(
  market: SpotMarket,
  side: SideIndex,
  priceTicks: number,
  remainingLots: number,
): bigint {
  return side === BUY
    ? exactProduct(priceTicks, remainingLots) * market.rules.quoteMinorPerTickLot
    : toBigInt(remainingLots) * market.rules.baseMinorPerLot;
}

/** The first of the user's accounts in the asset that pays for orders of a side. */
export function paymentAccounts(
  context: Context,
  market: SpotMarket,
  user: User,
  side: SideIndex,
): AccountNumber {
  const { rules } = market;
  const asset = side === BUY ? rules.quoteAsset : rules.baseAsset;
  return userAccount(context.state, user, asset.index, 0);
}

export interface NewRestingOrder {
  readonly orderId: number;
  readonly user: User;
  readonly side: SideIndex;
  readonly timeInForce: TimeInForce;
  readonly priceTicks: number;
  readonly quantityLots: number;
  readonly filledLots: number;
  readonly filledQuoteMinor: bigint;
  readonly feeNumerator: bigint;
  /** The rate when the order was placed; a resting order is only ever a maker. */
  readonly makerFeeRateE8: number;
  readonly clientOrderId: string;
  /** Its entry in the index of client order ids. */
  readonly clientEntry: number;
  /** Time of the last fill or amendment; before the first one, of the placement. */
  readonly updatedMs: number;
}

/** Puts an order behind all others at its price. */
export function restOrder(context: Context, market: SpotMarket, order: NewRestingOrder): void {
  insertIntoBook(context.state, market, order);
  context.emit({
    type: "spot-order-opened",
    orderId: order.orderId,
    uid: order.user.uid,
    symbol: market.symbol,
    clientOrderId: order.clientOrderId,
    side: order.side === BUY ? "BUY" : "SELL",
    timeInForce: order.timeInForce,
    priceTicks: order.priceTicks,
    quantityLots: order.quantityLots,
    filledLots: order.filledLots,
    filledQuoteMinor: order.filledQuoteMinor,
  });
}

/**
 * The part of resting that restoring a snapshot repeats: the slot, the book and the user's count.
 */
export function insertIntoBook(
  state: State,
  market: SpotMarket,
  order: Omit<NewRestingOrder, "clientOrderId">,
): void {
  const { orders } = state;
  const slot = orders.allocate(order.orderId, order.user.uid, {
    market: market.index,
    side: order.side,
    timeInForce: TIMES_IN_FORCE.indexOf(order.timeInForce),
    priceTicks: order.priceTicks,
    quantityLots: order.quantityLots,
    filledLots: order.filledLots,
    makerFeeRateE8: order.makerFeeRateE8,
    clientEntry: order.clientEntry,
  });
  const createdMs = state.clientOrders.createdMs(order.clientEntry);
  if (order.filledLots > 0 || order.updatedMs > createdMs) {
    const { filledQuoteMinor, feeNumerator, updatedMs } = order;
    orders.setProgress(slot, { filledQuoteMinor, feeNumerator, updatedMs });
  }
  market.book.insert(slot);
  const counts = order.user.openOrderCounts;
  while (counts.length <= market.index) counts.push(0);
  counts[market.index] = (counts[market.index] as number) + 1;
}

/** Removes an order from the book before it is filled, and releases what it reserves. */
export function endRestingOrder(
  context: Context,
  market: SpotMarket,
  user: User,
  slot: number,
  reason: EndReason,
): SpotOrderEnded {
  const { ledger, orders } = context.state;
  const side = orders.side(slot);
  const accounts = paymentAccounts(context, market, user, side);
  const restMinor = frozenByRestMinor(market, side, orders.priceTicks(slot), orders.openLots(slot));
  ledger.move(accounts + SPOT_FROZEN, accounts + SPOT_AVAILABLE, restMinor);
  const filledQuoteMinor = orders.progress(slot)?.filledQuoteMinor ?? 0n;
  return leaveBook(context, market, user, slot, reason, filledQuoteMinor);
}

/** Removes an order from the book that reserves nothing any more. Returns the emitted event. */
export function leaveBook(
  context: Context,
  market: SpotMarket,
  user: User,
  slot: number,
  reason: EndReason,
  filledQuoteMinor: bigint,
): SpotOrderEnded {
  const { clientOrders, orders } = context.state;
  const clientEntry = orders.clientEntry(slot);
  const ended: SpotOrderEnded = {
    type: "spot-order-ended",
    orderId: orders.orderId(slot),
    uid: user.uid,
    symbol: market.symbol,
    clientOrderId: clientOrders.clientOrderId(clientEntry),
    side: orders.side(slot) === BUY ? "BUY" : "SELL",
    orderType: "LIMIT",
    timeInForce: TIMES_IN_FORCE[orders.timeInForce(slot)] as TimeInForce,
    priceTicks: orders.priceTicks(slot),
    quantityLots: orders.quantityLots(slot),
    quoteAmountMinor: 0n,
    filledLots: orders.filledLots(slot),
    filledQuoteMinor,
    status: statusAfter(reason),
    reason,
    createdMs: clientOrders.createdMs(clientEntry),
  };
  endOrder(context, ended, clientEntry);
  takeOutOfBook(context.state, market, user, slot);
  return ended;
}

/** The opposite of `insertIntoBook`. */
export function takeOutOfBook(
  { orders }: State,
  market: SpotMarket,
  user: User,
  slot: number,
): void {
  const counts = user.openOrderCounts;
  counts[market.index] = (counts[market.index] as number) - 1;
  market.book.remove(slot);
  orders.release(slot);
}

export type SpotOrderEnded = EventOf<"spot-order-ended">;

export function statusAfter(reason: EndReason): OrderStatus {
  return reason === "filled" ? "FILLED" : "CANCELED";
}

/**
 * Emits that an order ended, and starts the 24 hours for which its client order id is remembered.
 */
export function endOrder(context: Context, ended: SpotOrderEnded, clientEntry: number): void {
  context.emit(ended);
  context.state.clientOrders.markEnded(clientEntry, context.nowMs);
}
