/**
 * Place an order: check everything, plan the matches, then execute the plan. Nothing changes before
 * the last check has passed, so a rejected order leaves no trace. An amended order that loses its
 * place is also executed here, under its id and with its earlier fills.
 */
import { accept, type EndReason, type OrderStatus, type Result } from "../../domain/index.ts";
import type { CommandOf, PlacedSpotOrder } from "../../protocol/index.ts";
import { SPOT_AVAILABLE, SPOT_FROZEN } from "../ledger/ledger.ts";
import { BUY } from "../matching/slot.ts";
import { mayRest } from "../orders/order-intake.ts";
import {
  type Context,
  type FeeRates,
  feeRatesKey,
  type SpotMarket,
  spotBookVersion,
  type User,
} from "../state.ts";
import { type CheckedOrder, checkPlacement, wouldTake } from "./order-checks.ts";
import {
  endOrder,
  endRestingOrder,
  frozenByRestMinor,
  paymentAccounts,
  restOrder,
  type SpotOrderEnded,
  statusAfter,
} from "./resting-orders.ts";
import { settleMatch, type TakerOrder } from "./settlement.ts";

export function placeSpotOrder(
  context: Context,
  command: CommandOf<"place-spot-order">,
): Result<PlacedSpotOrder> {
  const checked = checkPlacement(context, command);
  if (!checked.ok) return checked;
  const { market, repeated } = checked.value;
  if (repeated !== null) return accept({ ...repeated, bookVersion: spotBookVersion(market) });
  const { order, payload } = checked.value;

  const { state, nowMs } = context;
  const { clientOrderId, uid } = command;
  const orderId = state.nextOrderId++;
  const { high, low } = payload;
  state.clientOrders.evict(nowMs);
  const clientEntry = state.clientOrders.add(uid, clientOrderId, orderId, high, low, nowMs);
  executeOrder(context, order, {
    orderId,
    clientEntry,
    createdMs: nowMs,
    filledQuoteMinor: 0n,
    feeNumerator: 0n,
  });
  const bookVersion = spotBookVersion(market);
  return accept({ orderId, clientOrderId, symbol: market.symbol, createdMs: nowMs, bookVersion });
}

/** The order's identity, and its fills before this command. */
export interface OrderIdentity {
  readonly orderId: number;
  /** Its entry in the index of client order ids. */
  readonly clientEntry: number;
  readonly createdMs: number;
  readonly filledQuoteMinor: bigint;
  readonly feeNumerator: bigint;
}

/** The order's state after matching. */
export interface ExecutedOrder {
  /** NEW when it rests. */
  readonly status: OrderStatus;
  readonly filledLots: number;
}

/** Freezes the order's maximum cost, trades, and rests the remainder or ends the order. */
export function executeOrder(
  context: Context,
  order: CheckedOrder,
  { orderId, clientEntry, createdMs, filledQuoteMinor, feeNumerator }: OrderIdentity,
): ExecutedOrder {
  const { request, side, filledLots, reserveMinor } = order;
  const { market, user, clientOrderId } = request;
  const accounts = paymentAccounts(context, market, user, side);
  context.state.ledger.move(accounts + SPOT_AVAILABLE, accounts + SPOT_FROZEN, reserveMinor);
  const rates = feeRatesOf(user, market);
  const taker: TakerOrder = {
    orderId,
    user,
    side,
    limitTicks: order.priceTicks,
    takerFeeRateE8: rates.takerFeeRateE8,
    filledLots,
    filledQuoteMinor,
    feeNumerator,
  };
  const refused = refusalToTrade(order);
  if (refused === null) executePlan(context, order, taker);
  const reason = refused ?? endAfterMatching(order);
  if (reason === null) {
    restOrder(context, market, {
      orderId,
      user,
      side,
      timeInForce: request.timeInForce,
      priceTicks: order.priceTicks,
      quantityLots: order.quantityLots,
      filledLots: taker.filledLots,
      filledQuoteMinor: taker.filledQuoteMinor,
      feeNumerator: taker.feeNumerator,
      makerFeeRateE8: rates.makerFeeRateE8,
      clientOrderId,
      clientEntry,
      updatedMs: context.nowMs,
    });
    return { status: "NEW", filledLots: taker.filledLots };
  }
  releaseReservation(context, order, taker);
  const ended: SpotOrderEnded = {
    type: "spot-order-ended",
    orderId,
    uid: user.uid,
    symbol: market.symbol,
    clientOrderId,
    side: request.side,
    orderType: request.orderType,
    timeInForce: request.orderType === "MARKET" ? "IOC" : request.timeInForce,
    priceTicks: order.priceTicks,
    quantityLots: order.quantityLots,
    quoteAmountMinor: order.quoteAmountMinor,
    filledLots: taker.filledLots,
    filledQuoteMinor: taker.filledQuoteMinor,
    status: statusAfter(reason),
    reason,
    createdMs,
  };
  endOrder(context, ended, clientEntry);
  return ended;
}

function executePlan(context: Context, { request, plan }: CheckedOrder, taker: TakerOrder): void {
  const { market, user } = request;
  for (let i = 0; i < plan.makerCount; i++) {
    const makerSlot = plan.makerSlots[i] as number;
    const lots = plan.lots[i] as number;
    if (lots > 0) settleMatch(context, market, taker, makerSlot, lots);
    // Self-trade prevention applies only to the user's own orders.
    else endRestingOrder(context, market, user, makerSlot, "self-trade-prevented");
  }
}

/** Why the order must not trade at all, whatever its plan contains. */
function refusalToTrade(order: CheckedOrder): EndReason | null {
  const { request, plan, quantityLots } = order;
  if (request.orderType === "MARKET") return null;
  if (request.timeInForce === "POST_ONLY") return wouldTake(order) ? "would-take" : null;
  const fillable = plan.filledLots === quantityLots;
  return request.timeInForce === "FOK" && !fillable ? "not-fillable-at-once" : null;
}

/** Why the order ends after its matches; null when the remainder rests in the book. */
function endAfterMatching({ request, plan }: CheckedOrder): EndReason | null {
  if (plan.end === "self-trade") return "self-trade-prevented";
  if (plan.end === "complete") return "filled";
  // Spent as far as possible: the rest buys no lot.
  if (plan.end === "amount-spent" && plan.filledLots > 0) return "filled";
  if (mayRest(request)) return null;
  return plan.filledLots > 0 ? "remainder-not-rested" : "nothing-to-match";
}

/** Releases what the ended order reserved and did not spend. */
function releaseReservation(context: Context, order: CheckedOrder, taker: TakerOrder): void {
  const { request, side, priceTicks, reserveMinor } = order;
  const { market, user } = request;
  const spentMinor =
    side === BUY && priceTicks === 0
      ? taker.filledQuoteMinor
      : // Price improvement was released with each match.
        frozenByRestMinor(market, side, priceTicks, taker.filledLots - order.filledLots);
  const leftMinor = reserveMinor - spentMinor;
  if (leftMinor === 0n) return;
  const accounts = paymentAccounts(context, market, user, side);
  context.state.ledger.move(accounts + SPOT_FROZEN, accounts + SPOT_AVAILABLE, leftMinor);
}

/** The user's own rates, for the market or for the product; otherwise the market's. */
function feeRatesOf(user: User, market: SpotMarket): FeeRates {
  if (user.feeRates !== null) {
    const own =
      user.feeRates.get(feeRatesKey("spot", market.symbol)) ??
      user.feeRates.get(feeRatesKey("spot", null));
    if (own !== undefined) return own;
  }
  return market.rules;
}
