/**
 * Liquidation. What is due is closed in the same command: in the book down to the bankruptcy price,
 * where the holder has nothing left; further down as far as the insurance fund pays; and the rest
 * against positions of the other side. An isolated position is closed whole. A cross account first
 * loses its orders, then nets what it holds on both sides, then closes by steps the position with
 * the largest maintenance margin until it is no longer due.
 */
import { ceilDivide, floorDivide, invariant, POSITION_SIDES } from "../../../domain/index.ts";
import type { EventOf } from "../../../protocol/index.ts";
import { BUY, NONE, SELL } from "../../matching/slot.ts";
import type { Context } from "../../state.ts";
import {
  crossEquityMinor,
  crossMaintenanceE8,
  crossNotionalMinor,
  crossOwners,
  crossRateE8,
  isCrossDue,
  isolatedRateE8,
  markValueMinor,
  unrealizedMinor,
  walletMinor,
} from "../formulas/account-equity.ts";
import { lotsWithinSlippage, payableMinor } from "../formulas/insurance-limits.ts";
import { ONE_E8, tierIndex } from "../formulas/valuation.ts";
import { planMatch } from "../orders/fill.ts";
import { makerCanSettle } from "../orders/fill-checks.ts";
import { beginTaker, finishTaker, matchTaker } from "../orders/matching.ts";
import { systemOrderTerms } from "../orders/place-order.ts";
import { cancelOpenOrders, endRestingOrder } from "../orders/resting-orders.ts";
import {
  LONG,
  type MarginAccount,
  type Position,
  type PositionSideIndex,
  SHORT,
  type SymbolAccount,
} from "../state/contract-market.ts";
import type { ContractTaker, LiquidationTerms } from "../state/order-terms.ts";
import { deleverage } from "./deleveraging.ts";
import { netSymbol } from "./netting.ts";

/** Closes an isolated position that is due, whole; its own margin is all that can be lost. */
export function liquidateIsolated(context: Context, position: Position): void {
  const { contract } = context.state;
  const { owner, side, sizeLots, openValueMinor, marginMinor, marginType } = position;
  const { account, market } = owner;
  position.heldAtRevision = 0;
  context.stepsLeft--;
  started(context, account, {
    symbol: market.symbol,
    positionId: position.positionId,
    positionSide: POSITION_SIDES[side],
    marginType,
    markTicks: market.mark.ticks,
    equityMinor: marginMinor + unrealizedMinor(position),
    maintenanceE8Minor: markValueMinor(position) * isolatedRateE8(owner, side),
  });
  cancelOpenOrders(context, account, market, side, "liquidation");
  const leftLots = closeForLiquidation(context, position, sizeLots, {
    bankruptcyNum: side === LONG ? openValueMinor - marginMinor : openValueMinor + marginMinor,
    bankruptcyDen: BigInt(sizeLots) * market.rules.minorPerTickLot,
    marginType,
  });
  if (leftLots > 0) {
    position.heldAtRevision = contract.liquidityRevision;
    contract.risk.positionChanged(position);
  }
  finished(context, account, market.symbol, position.positionId);
}

/** Reduces a cross account that is due until it is not. */
export function liquidateCross(context: Context, account: MarginAccount): void {
  const { contract, ledger } = context.state;
  account.heldAtRevision = 0;
  context.stepsLeft--;
  started(context, account, {
    symbol: "",
    positionId: 0,
    positionSide: POSITION_SIDES[LONG],
    marginType: "CROSSED",
    markTicks: 0,
    equityMinor: crossEquityMinor(ledger, account),
    maintenanceE8Minor: crossMaintenanceE8(account),
  });
  cancelOpenOrders(context, account, null, null, "liquidation");
  netAll(context, account);
  // Every turn closes a whole position, or brings a symbol into a lower tier.
  while (isCrossDue(ledger, account)) {
    const position = largestPosition(account);
    const lots = stepLots(position);
    context.stepsLeft--;
    const bankruptcy = crossBankruptcy(position, crossEquityMinor(ledger, account));
    if (closeForLiquidation(context, position, lots, bankruptcy) === 0) continue;
    account.heldAtRevision = contract.liquidityRevision;
    contract.risk.accountChanged(account);
    break;
  }
  finished(context, account, "", 0);
}

/**
 * Nets all symbols that are held on both sides. When that would leave no position and less than
 * nothing, nothing is netted: only closing at bankruptcy prices brings in somebody who pays.
 */
function netAll(context: Context, account: MarginAccount): void {
  const { ledger } = context.state;
  const owners = crossOwners(account).sort((a, b) => a.market.index - b.market.index);
  const leavesNothing = owners.every(({ sideLots }) => sideLots[LONG] === sideLots[SHORT]);
  if (leavesNothing && crossEquityMinor(ledger, account) < 0n) return;
  for (const owner of owners) if (netSymbol(context, owner)) context.stepsLeft--;
}

/** The cross position with the largest maintenance margin; of equal ones that of the lowest id. */
function largestPosition(account: MarginAccount): Position {
  const rates = new Map<SymbolAccount, bigint>();
  for (const owner of crossOwners(account)) rates.set(owner, crossRateE8(owner));
  let largest: Position | null = null;
  let largestE8 = -1n;
  for (const position of account.crossPositions) {
    const maintenanceE8 = markValueMinor(position) * (rates.get(position.owner) ?? 0n);
    const isLarger =
      maintenanceE8 > largestE8 ||
      (maintenanceE8 === largestE8 && position.positionId < (largest?.positionId ?? 0));
    if (!isLarger) continue;
    largest = position;
    largestE8 = maintenanceE8;
  }
  invariant(largest !== null, "an account that is due has a cross position");
  return largest;
}

/** In the lowest tier all of it; else what brings the symbol two tiers down, lots rounded up. */
function stepLots({ owner, side, sizeLots }: Position): number {
  const { market, sideLots } = owner;
  const { rules, mark } = market;
  const tier = tierIndex(rules, crossNotionalMinor(owner));
  const target = rules.tiers[Math.max(0, tier - 2)];
  if (tier === 0 || target === undefined) return sizeLots;
  const perLot = BigInt(mark.ticks) * rules.minorPerTickLot;
  const lots = sideLots[side] - Number(target.maxNotionalMinor / perLot);
  // With the other side still there, one side may be below the target by itself.
  return lots < 1 ? sizeLots : Math.min(lots, sizeLots);
}

/**
 * The price at which closing the position uses up the account's equity. A SHORT whose price would
 * be below the lowest takes what it can of a debt; the next position takes the rest.
 */
function crossBankruptcy(position: Position, equityMinor: bigint): LiquidationTerms {
  const { owner, side, sizeLots } = position;
  const { rules, mark } = owner.market;
  const bankruptcyDen = BigInt(sizeLots) * rules.minorPerTickLot;
  const atMark = BigInt(mark.ticks) * bankruptcyDen;
  const exact = side === LONG ? atMark - equityMinor : atMark + equityMinor;
  const bankruptcyNum = side === SHORT && exact < bankruptcyDen ? bankruptcyDen : exact;
  return { bankruptcyNum, bankruptcyDen, marginType: "CROSSED" };
}

/** The bankruptcy price to the tick, in the holder's favour. */
function bankruptTicks(side: PositionSideIndex, terms: LiquidationTerms): number {
  const { bankruptcyNum, bankruptcyDen } = terms;
  const ticks =
    side === LONG
      ? ceilDivide(bankruptcyNum, bankruptcyDen)
      : floorDivide(bankruptcyNum, bankruptcyDen);
  return Math.min(Math.max(Number(ticks), 1), Number.MAX_SAFE_INTEGER);
}

/** Closes `lots` of a position by one order of the exchange. Returns what could not be closed. */
function closeForLiquidation(
  context: Context,
  position: Position,
  lots: number,
  bankruptcy: LiquidationTerms,
): number {
  const { owner, side, positionId } = position;
  const terms = systemOrderTerms(context.state, owner, side, lots, "liquidation", positionId);
  const taker = beginTaker(context, terms);
  taker.liquidation = bankruptcy;
  const limitTicks = bankruptTicks(side, bankruptcy);
  matchTaker(context, taker, limitTicks, lots);
  if (taker.filledLots < lots) matchAtCostOfFund(context, taker, position, lots);
  if (taker.filledLots < lots) {
    deleverage(context, taker, position, lots - taker.filledLots, limitTicks);
  }
  finishTaker(context, taker);
  if (taker.filledLots > 0) owner.market.tallies.liquidations++;
  return lots - taker.filledLots;
}

/**
 * Continues below the bankruptcy price, within price band and slippage, while the insurance fund
 * can pay the loss and the fee of a lot. One resting order at a time, because each fill changes the
 * fund.
 */
function matchAtCostOfFund(
  context: Context,
  taker: ContractTaker,
  position: Position,
  lots: number,
): void {
  const { contract } = context.state;
  const { market, side, limitTicks: band } = taker.terms;
  // Every turn fills something or takes an order out of the book.
  while (taker.filledLots < lots) {
    const slot = market.book.bestOrder(side === BUY ? SELL : BUY);
    if (slot === NONE) return;
    const priceTicks = contract.orders.priceTicks(slot);
    if (side === BUY ? priceTicks > band : priceTicks < band) return;
    const restLots = Math.min(contract.orders.openLots(slot), lots - taker.filledLots);
    const fillLots = affordableLots(context, taker, position, priceTicks, restLots);
    if (fillLots === 0) return;
    if (makerCanSettle(context, planMatch(context, taker, slot, fillLots))) {
      matchTaker(context, taker, priceTicks, fillLots);
    } else {
      endRestingOrder(context, slot, "margin-not-enough");
    }
  }
}

/** How many lots at a price beyond bankruptcy the fund can pay for, at most `restLots`. */
function affordableLots(
  context: Context,
  { terms, liquidation }: ContractTaker,
  position: Position,
  priceTicks: number,
  restLots: number,
): number {
  invariant(liquidation !== null, "only a liquidation is at the cost of the fund");
  const { state } = context;
  const lotsMax = lotsWithinSlippage(state, position, liquidation, priceTicks, restLots);
  const { rules } = terms.market;
  const { bankruptcyNum, bankruptcyDen } = liquidation;
  const fundMinor = payableMinor(context, terms.market);
  const price = BigInt(priceTicks) * bankruptcyDen;
  const lossTicks = terms.positionSide === LONG ? bankruptcyNum - price : price - bankruptcyNum;
  const perLot =
    (lossTicks * ONE_E8 + price * BigInt(terms.takerFeeRateE8)) * rules.minorPerTickLot;
  invariant(lossTicks > 0n, "the book down to bankruptcy is used up");
  const lots = (fundMinor * bankruptcyDen * ONE_E8) / perLot;
  return lots > BigInt(lotsMax) ? lotsMax : Number(lots);
}

type Started = Omit<EventOf<"liquidation-started">, "type" | "uid" | "asset" | "walletMinor">;

function started(context: Context, account: MarginAccount, what: Started): void {
  const { ledger, assets } = context.state;
  context.emit({
    type: "liquidation-started",
    ...what,
    uid: account.user.uid,
    asset: assets[account.assetIndex]?.asset ?? "",
    walletMinor: walletMinor(ledger, account),
  });
}

/** `positionId` 0 is the whole cross account. */
function finished(
  context: Context,
  account: MarginAccount,
  symbol: string,
  positionId: number,
): void {
  const { ledger, assets } = context.state;
  context.emit({
    type: "liquidation-finished",
    symbol,
    uid: account.user.uid,
    positionId,
    marginType: positionId === 0 ? "CROSSED" : "ISOLATED",
    asset: assets[account.assetIndex]?.asset ?? "",
    walletMinor: walletMinor(ledger, account),
  });
}
