/**
 * Matches a contract order step by step. Unlike on spot, a fill may turn out to be impossible
 * because it would leave a debt or make something due, so each maker is decided when it is reached.
 * An order begins, matches down to a limit, perhaps several times, and finishes.
 */
import { type EndReason, POSITION_SIDES } from "../../../domain/index.ts";
import { CONTRACT_AVAILABLE, CONTRACT_ORDER_MARGIN } from "../../ledger/ledger.ts";
import { BUY, NONE, SELL, type SideIndex } from "../../matching/slot.ts";
import type { Context } from "../../state.ts";
import { childEnded, parentEnded } from "../conditional/conditional-lifecycle.ts";
import { symbolAccountOf } from "../contract-state.ts";
import { freezeOf } from "../formulas/order-margin.ts";
import type { ContractMarket, SymbolAccount } from "../state/contract-market.ts";
import type { ContractOrderTerms, ContractTaker, ExecutedOrder } from "../state/order-terms.ts";
import { planMatch, settleMatch } from "./fill.ts";
import { makerCanSettle, takerCanSettle } from "./fill-checks.ts";
import {
  endOrder,
  endRestingOrder,
  restOrder,
  statusAfter,
  systemClientOrderId,
  trimCloses,
} from "./resting-orders.ts";

/** Whether a price is as good as the limit of a taker on `side`. */
export function isWithin(side: SideIndex, priceTicks: number, limitTicks: number): boolean {
  return side === BUY ? priceTicks <= limitTicks : priceTicks >= limitTicks;
}

/**
 * The open lots that an order on `side` would meet down to its limit, at most `lotsMax`, and the
 * worst price among them, 0 when there are none. Reads only, and looks at nobody's money.
 */
export function walkCrossing(
  { book }: ContractMarket,
  side: SideIndex,
  limitTicks: number,
  lotsMax: number,
): { readonly lots: number; readonly worstTicks: number } {
  const opposite = side === BUY ? SELL : BUY;
  const bestTicks = book.bestPriceTicks(opposite);
  if (bestTicks === NONE || !isWithin(side, bestTicks, limitTicks)) {
    return { lots: 0, worstTicks: 0 };
  }
  let lots = 0;
  let worstTicks = 0;
  let levels = 1;
  for (;;) {
    // Deeper each time: an order seldom goes through more than a few levels.
    const depth = book.depth(opposite, levels);
    lots = 0;
    for (const [priceTicks, levelLots] of depth) {
      if (lots >= lotsMax || !isWithin(side, priceTicks, limitTicks)) return { lots, worstTicks };
      lots = levelLots > lotsMax - lots ? lotsMax : lots + Number(levelLots);
      worstTicks = priceTicks;
    }
    if (lots >= lotsMax || depth.length < levels) return { lots, worstTicks };
    levels *= 8;
  }
}

/** Gives the order its id and freezes what it may cost. From here on it matches. */
export function beginTaker(context: Context, terms: ContractOrderTerms): ContractTaker {
  const { state } = context;
  const { contract } = state;
  const owner = symbolAccountOf(state, terms.user, terms.market);
  const orderId = state.nextOrderId++;
  let clientEntry = NONE;
  if (terms.payload !== null) {
    const { high, low } = terms.payload;
    const { uid } = terms.user;
    const { clientOrderId } = terms;
    contract.clientOrders.evict(context.nowMs);
    clientEntry = contract.clientOrders.add(uid, clientOrderId, orderId, high, low, context.nowMs);
  }
  return takerOf(context, terms, owner, {
    orderId,
    clientEntry,
    createdMs: context.nowMs,
    hasAttached: terms.attached !== null,
    filledLots: 0,
    filledValueMinor: 0n,
    feeNumerator: 0n,
  });
}

/** The identity of an order and its fills before this command. */
export type OrderIdentity = Pick<
  ContractTaker,
  | "orderId"
  | "clientEntry"
  | "createdMs"
  | "hasAttached"
  | "filledLots"
  | "filledValueMinor"
  | "feeNumerator"
>;

/** An amended order enters again, under its id and with its fills. */
export function resumeTaker(
  context: Context,
  terms: ContractOrderTerms,
  identity: OrderIdentity,
): ContractTaker {
  return takerOf(
    context,
    terms,
    symbolAccountOf(context.state, terms.user, terms.market),
    identity,
  );
}

function takerOf(
  { state }: Context,
  terms: ContractOrderTerms,
  owner: SymbolAccount,
  identity: OrderIdentity,
): ContractTaker {
  const taker: ContractTaker = {
    terms,
    owner,
    orderId: identity.orderId,
    clientEntry: identity.clientEntry,
    createdMs: identity.createdMs,
    hasAttached: identity.hasAttached,
    filledLots: identity.filledLots,
    filledValueMinor: identity.filledValueMinor,
    feeNumerator: identity.feeNumerator,
    frozenMinor: terms.frozenMinor,
    liquidation: null,
    hasTradedInBook: false,
    ended: null,
  };
  if (taker.frozenMinor > 0n) {
    const { base } = owner.account;
    const [from, to] = [base + CONTRACT_AVAILABLE, base + CONTRACT_ORDER_MARGIN];
    state.ledger.move(from, to, taker.frozenMinor);
  }
  return taker;
}

/**
 * Trades with the best orders of the other side, down to `limitTicks` and at most `lotsMax`. A
 * maker that the fill does not fit ends, and the next one is tried; a taker that it does not fit is
 * at its end. Returns the lots that were filled.
 */
export function matchTaker(
  context: Context,
  taker: ContractTaker,
  limitTicks: number,
  lotsMax: number,
): number {
  const { orders } = context.state.contract;
  const { market, side } = taker.terms;
  let filledLots = 0;
  // Every turn fills something or takes an order out of the book.
  while (filledLots < lotsMax && taker.ended === null) {
    const makerSlot = market.book.bestOrder(side === BUY ? SELL : BUY);
    if (makerSlot === NONE || !isWithin(side, orders.priceTicks(makerSlot), limitTicks)) break;
    const lots = Math.min(orders.openLots(makerSlot), lotsMax - filledLots);
    const match = planMatch(context, taker, makerSlot, lots);
    if (!makerCanSettle(context, match)) {
      endRestingOrder(context, makerSlot, "margin-not-enough");
    } else if (takerCanSettle(context, match)) {
      settleMatch(context, taker, match);
      filledLots += lots;
    } else {
      taker.ended = "margin-not-enough";
    }
  }
  return filledLots;
}

/**
 * The order rests or ends. What it no longer needs is released, resting closes that the position no
 * longer covers end, and trailing stops see the last price.
 */
export function finishTaker(context: Context, taker: ContractTaker): ExecutedOrder {
  const { terms, owner, orderId, filledLots, filledValueMinor } = taker;
  const reason = endAfterMatching(taker);
  if (reason === null) restTaker(context, taker);
  else endTaker(context, taker, reason);
  if (terms.isClosing) trimCloses(context, owner, terms.positionSide);
  if (taker.hasTradedInBook) context.state.contract.triggerIndex.lastPriceChanged(terms.market);
  const status = reason === null ? "NEW" : statusAfter(reason);
  return { orderId, status, filledLots, filledValueMinor };
}

/** Null when the rest goes into the book. */
function endAfterMatching({ terms, filledLots, ended }: ContractTaker): EndReason | null {
  if (filledLots === terms.quantityLots) return "filled";
  if (ended !== null) return ended;
  const { timeInForce } = terms;
  if (timeInForce === "GTC" || timeInForce === "POST_ONLY") return null;
  return filledLots > 0 ? "remainder-not-rested" : "nothing-to-match";
}

/** What rests is frozen at its own price, which is at most the one that was assumed. */
function restTaker(context: Context, taker: ContractTaker): void {
  const { terms, filledLots } = taker;
  const { market, quantityLots, leverage, takerFeeRateE8, makerFeeRateE8 } = terms;
  const rateE8 = Math.max(takerFeeRateE8, makerFeeRateE8);
  const openLots = quantityLots - filledLots;
  // A closing order freezes nothing, and one at the price that was assumed keeps what it has.
  if (!terms.isClosing && terms.priceTicks !== terms.assumedTicks) {
    const keptMinor = freezeOf(market.rules, terms.priceTicks, openLots, leverage, rateE8);
    release(context, taker, taker.frozenMinor - keptMinor);
  }
  restOrder(context, {
    orderId: taker.orderId,
    owner: taker.owner,
    side: terms.side,
    timeInForce: terms.timeInForce,
    priceTicks: terms.priceTicks,
    quantityLots,
    filledLots,
    filledValueMinor: taker.filledValueMinor,
    feeNumerator: taker.feeNumerator,
    makerFeeRateE8,
    clientEntry: taker.clientEntry,
    updatedMs: context.nowMs,
    extra: {
      createdMs: taker.createdMs,
      algoId: terms.algoId,
      targetPositionId: terms.targetPositionId,
      leverage,
      takerFeeRateE8,
      positionSide: terms.positionSide,
      isClosing: terms.isClosing,
      origin: terms.origin,
      hasAttached: taker.hasAttached,
    },
  });
}

function endTaker(context: Context, taker: ContractTaker, reason: EndReason): void {
  const { terms, orderId, filledLots } = taker;
  release(context, taker, taker.frozenMinor);
  const { clientOrderId, origin, algoId } = terms;
  const ended = {
    type: "contract-order-ended",
    orderId,
    uid: terms.user.uid,
    symbol: terms.market.symbol,
    clientOrderId:
      clientOrderId === "" ? systemClientOrderId(origin, orderId, algoId) : clientOrderId,
    side: terms.side === BUY ? "BUY" : "SELL",
    positionSide: POSITION_SIDES[terms.positionSide],
    orderType: terms.orderType,
    timeInForce: terms.timeInForce,
    origin,
    algoId,
    priceTicks: terms.priceTicks,
    quantityLots: terms.quantityLots,
    filledLots,
    filledValueMinor: taker.filledValueMinor,
    status: statusAfter(reason),
    reason,
    createdMs: taker.createdMs,
  } as const;
  endOrder(context, ended, taker.clientEntry);
  if (taker.hasAttached) parentEnded(context, orderId, filledLots);
  // Only of an order that was amended: what ends while it is being placed is `childPlaced`'s.
  if (algoId !== 0) childEnded(context, algoId, ended.status, filledLots, taker.filledValueMinor);
}

function release({ state }: Context, taker: ContractTaker, amountMinor: bigint): void {
  taker.frozenMinor -= amountMinor;
  if (amountMinor === 0n) return;
  const { base } = taker.owner.account;
  state.ledger.move(base + CONTRACT_ORDER_MARGIN, base + CONTRACT_AVAILABLE, amountMinor);
}
