/**
 * Opens, grows, shrinks and removes positions. A close is planned first, which only reads, and
 * applied afterwards; fill.ts moves the money. An opening fill joins the one position of the side
 * when COMBINED and the order's own position when SEPARATED; a closing fill takes the positions of
 * the side by ascending id.
 */
import { invariant, POSITION_SIDES } from "../../../domain/index.ts";
import type { Context } from "../../state.ts";
import { sideEmptied } from "../conditional/conditional-lifecycle.ts";
import { pnlMinor, removedOpenValue, removedPart, valueMinor } from "../formulas/valuation.ts";
import {
  type ContractMarketRules,
  LONG,
  Position,
  type PositionSideIndex,
  SHORT,
  type SymbolAccount,
} from "../state/contract-market.ts";

/** The fields of a position that a fill uses, of a real one or of one in a picture. */
export type PositionFigures = Readonly<
  Pick<
    Position,
    "positionId" | "separatedOpenOrderId" | "sizeLots" | "openValueMinor" | "marginMinor"
  >
>;

/** What a closing fill takes from one position. Amounts are minor units of the margin asset. */
export interface ClosedPart<Closed = Position> {
  readonly position: Closed;
  readonly lots: number;
  /** The removed part of the open value. */
  readonly openValueMinor: bigint;
  /** The part of the isolated margin that is released; 0 for a cross position. */
  releasedMinor: bigint;
  readonly realizedMinor: bigint;
  /** The part of the fill's fee, by size. */
  feeMinor: bigint;
}

/** What an opening fill adds to a position. */
export interface OpenedPart {
  readonly lots: number;
  readonly valueMinor: bigint;
  readonly feeMinor: bigint;
  /** Isolated margin; 0 for a cross position. */
  readonly marginMinor: bigint;
}

/** A position as it will be when an opening fill has reached it. */
export interface Enlargement extends Omit<OpenedPart, "feeMinor"> {
  readonly positionId: number;
}

/**
 * How a closing fill of `lots` at a price falls on the positions of a side, or on one of them alone
 * when `targetPositionId` is not 0. Reads only; it is a plan for the state as it is, but for a
 * position that is to be `enlarged` before. The last part takes what rounding left of the fee.
 */
export function planClose(
  owner: SymbolAccount,
  side: PositionSideIndex,
  targetPositionId: number,
  lots: number,
  priceTicks: number,
  feeMinor: bigint,
  enlarged: Enlargement | null = null,
): ClosedPart[] {
  const close = { side, targetPositionId, lots, priceTicks, feeMinor };
  return planCloseOf(owner.market.rules, owner.positions[side], close, enlarged);
}

/** A closing fill before it is spread over positions. */
export interface ClosingFill {
  readonly side: PositionSideIndex;
  /** 0 for first in, first out. */
  readonly targetPositionId: number;
  readonly lots: number;
  readonly priceTicks: number;
  readonly feeMinor: bigint;
}

/** The same of any positions of a side, in the order of their ids. */
export function planCloseOf<Closed extends PositionFigures>(
  rules: ContractMarketRules,
  positions: readonly Closed[],
  { side, targetPositionId, lots, priceTicks, feeMinor }: ClosingFill,
  enlarged: Enlargement | null = null,
): ClosedPart<Closed>[] {
  const parts: ClosedPart<Closed>[] = [];
  let lotsLeft = lots;
  let feeLeftMinor = feeMinor;
  for (const position of positions) {
    if (lotsLeft === 0) break;
    if (targetPositionId !== 0 && position.positionId !== targetPositionId) continue;
    const more = enlarged?.positionId === position.positionId ? enlarged : NO_MORE;
    const sizeLots = position.sizeLots + more.lots;
    const partLots = Math.min(lotsLeft, sizeLots);
    lotsLeft -= partLots;
    const shareMinor = lotsLeft === 0 ? feeLeftMinor : (feeMinor * BigInt(partLots)) / BigInt(lots);
    feeLeftMinor -= shareMinor;
    const openValueMinor = position.openValueMinor + more.valueMinor;
    const removedMinor = removedOpenValue(side, openValueMinor, partLots, sizeLots);
    parts.push({
      position,
      lots: partLots,
      openValueMinor: removedMinor,
      releasedMinor: removedPart(position.marginMinor + more.marginMinor, partLots, sizeLots),
      realizedMinor: pnlMinor(side, removedMinor, valueMinor(rules, priceTicks, partLots)),
      feeMinor: shareMinor,
    });
  }
  invariant(lotsLeft === 0, "a closing fill is within the size that it closes");
  return parts;
}

const NO_MORE = { lots: 0, valueMinor: 0n, marginMinor: 0n };

/** The position that an order's opening fills belong to; null when there is none yet. */
export function positionOfOrder(
  owner: SymbolAccount,
  side: PositionSideIndex,
  orderId: number,
): Position | null {
  return positionOpenedBy(owner.positions[side], openOrderIdOf(owner, orderId));
}

/** The key of a position within its side: 0 where all orders share one. */
export function openOrderIdOf({ separatedType }: SymbolAccount, orderId: number): number {
  return separatedType === "SEPARATED" ? orderId : 0;
}

/** Which of a side's positions has that order's id, if any. */
export function positionOpenedBy<Opened extends PositionFigures>(
  positions: readonly Opened[],
  openOrderId: number,
): Opened | null {
  // Newest first: an order that still opens is likely to have opened one of the last.
  for (let i = positions.length - 1; i >= 0; i--) {
    const position = positions[i] as Opened;
    if (position.separatedOpenOrderId === openOrderId) return position;
  }
  return null;
}

/** The position that an opening fill of an order adds to; a new one when there is none yet. */
export function positionToOpen(
  context: Context,
  owner: SymbolAccount,
  side: PositionSideIndex,
  orderId: number,
): Position {
  const known = positionOfOrder(owner, side, orderId);
  if (known !== null) return known;
  const { state } = context;
  const separatedOpenOrderId = openOrderIdOf(owner, orderId);
  const position = new Position({
    positionId: state.nextOrderId++,
    owner,
    side,
    marginType: owner.marginType,
    separatedOpenOrderId,
    sequence: context.sequence,
    nowMs: context.nowMs,
  });
  owner.positions[side].push(position);
  if (position.marginType === "CROSSED") owner.account.crossPositions.push(position);
  owner.market.positions.add(position);
  state.contract.positions.set(position.positionId, position);
  context.emit({
    type: "position-opened",
    symbol: owner.market.symbol,
    uid: owner.account.user.uid,
    positionId: position.positionId,
    positionSide: POSITION_SIDES[side],
    marginType: position.marginType,
    separatedOpenOrderId,
    leverage: position.leverage,
  });
  return position;
}

/** An opening fill reaches its position; its money is posted already. */
export function addToPosition(context: Context, position: Position, part: OpenedPart): void {
  const { owner, side } = position;
  const { market } = owner;
  const lots = BigInt(part.lots);
  position.sizeLots += part.lots;
  position.openValueMinor += part.valueMinor;
  position.openFeeMinor += part.feeMinor;
  position.marginMinor += part.marginMinor;
  position.cumOpenLots += lots;
  position.cumOpenValueMinor += part.valueMinor;
  position.cumOpenFeeMinor += part.feeMinor;
  owner.account.isolatedMarginMinor += part.marginMinor;
  owner.sideLots[side] += part.lots;
  market.openLots[side] += lots;
  market.openValueMinor[side] += part.valueMinor;
  markUpdated(context, position);
}

/**
 * A closing fill reaches its positions; its money is posted already. Returns the positions that are
 * gone now, for `emitClosed` once the match has been emitted.
 */
export function applyClose(context: Context, parts: readonly ClosedPart[]): Position[] {
  const closed: Position[] = [];
  for (const part of parts) {
    const { position } = part;
    const { owner, side } = position;
    const { market } = owner;
    const lots = BigInt(part.lots);
    const closeValueMinor =
      side === LONG
        ? part.openValueMinor + part.realizedMinor
        : part.openValueMinor - part.realizedMinor;
    const { sizeLots } = position;
    position.openFeeMinor -= removedPart(position.openFeeMinor, part.lots, sizeLots);
    position.fundingFeeMinor -= removedPart(position.fundingFeeMinor, part.lots, sizeLots);
    position.sizeLots -= part.lots;
    position.openValueMinor -= part.openValueMinor;
    position.marginMinor -= part.releasedMinor;
    position.cumCloseLots += lots;
    position.cumCloseValueMinor += closeValueMinor;
    position.cumCloseFeeMinor += part.feeMinor;
    owner.account.isolatedMarginMinor -= part.releasedMinor;
    owner.sideLots[side] -= part.lots;
    market.openLots[side] -= lots;
    market.openValueMinor[side] -= part.openValueMinor;
    if (position.sizeLots === 0) {
      removePosition(context, position);
      closed.push(position);
    } else {
      markUpdated(context, position);
    }
  }
  return closed;
}

/** Marks it for the risk index and for the checks at the end of the command. */
function markUpdated(context: Context, position: Position): void {
  const { contract } = context.state;
  position.updatedSequence = context.sequence;
  position.updatedMs = context.nowMs;
  contract.dirtyMarkets.add(position.owner.market);
  contract.risk.positionChanged(position);
}

function removePosition(context: Context, position: Position): void {
  const { contract } = context.state;
  const { owner, side } = position;
  invariant(position.openValueMinor === 0n, "the last part takes all that is left of the value");
  invariant(position.marginMinor === 0n, "the last part takes all that is left of the margin");
  owner.positions[side].splice(owner.positions[side].indexOf(position), 1);
  const { crossPositions } = owner.account;
  if (position.marginType === "CROSSED") crossPositions.splice(crossPositions.indexOf(position), 1);
  owner.market.positions.delete(position);
  contract.positions.delete(position.positionId);
  contract.dirtyMarkets.add(owner.market);
  contract.risk.positionClosed(position);
}

/** Emits closed positions. With the last one of a side its waiting reduce-only orders end. */
export function emitClosed(context: Context, closed: readonly Position[]): void {
  for (const position of closed) {
    const { owner, side } = position;
    const { market, account } = owner;
    context.emit({
      type: "position-closed",
      symbol: market.symbol,
      uid: account.user.uid,
      positionId: position.positionId,
      positionSide: POSITION_SIDES[side],
      marginType: position.marginType,
      asset: market.rules.marginAsset.asset,
      cumOpenLots: position.cumOpenLots,
      cumOpenValueMinor: position.cumOpenValueMinor,
      cumOpenFeeMinor: position.cumOpenFeeMinor,
      cumCloseLots: position.cumCloseLots,
      cumCloseValueMinor: position.cumCloseValueMinor,
      cumCloseFeeMinor: position.cumCloseFeeMinor,
      cumFundingFeeMinor: position.cumFundingFeeMinor,
      cumLiquidateFeeMinor: position.cumLiquidateFeeMinor,
      openedMs: position.createdMs,
    });
  }
  const last = closed.at(-1);
  if (last === undefined) return;
  // All parts of a closing fill are of one owner and side.
  if (last.owner.sideLots[last.side] === 0) sideEmptied(context, last.owner, last.side);
}

/** The open positions of an account in one market, by id. */
export function positionsOf(owner: SymbolAccount): Position[] {
  const positions = [...owner.positions[LONG], ...owner.positions[SHORT]];
  return positions.sort((a, b) => a.positionId - b.positionId);
}
