/**
 * Settles one match: the money of both sides, their positions, the progress of both orders and the
 * last price change together, in one event. The maker's side goes first, also when both sides
 * belong to one account. Conditional orders that depend on the fill, attached ones and those that
 * close a position, are updated by the layer below.
 */
import { invariant, type MatchKind, POSITION_SIDES } from "../../../domain/index.ts";
import type { EventOf } from "../../../protocol/index.ts";
import { accrueCommissions, mayEarnCommission } from "../../affiliate/accrual.ts";
import { addExactFee, feeDueMinor } from "../../ledger/fees.ts";
import {
  CONTRACT_AVAILABLE,
  CONTRACT_ORDER_MARGIN,
  CONTRACT_POSITION_MARGIN,
} from "../../ledger/ledger.ts";
import { BUY, type SideIndex } from "../../matching/slot.ts";
import type { Context, State } from "../../state.ts";
import { parentProgressed } from "../conditional/conditional-lifecycle.ts";
import { walletMinor } from "../formulas/account-equity.ts";
import { freezeOf, frozenForLots } from "../formulas/order-margin.ts";
import { initialMarginMinor, valueMinor } from "../formulas/valuation.ts";
import {
  type ContractMarket,
  LONG,
  type MarginAccount,
  type Position,
  type PositionSideIndex,
  type SymbolAccount,
} from "../state/contract-market.ts";
import type { ContractTaker, LiquidationTerms } from "../state/order-terms.ts";
import { settleLiquidationSide } from "./liquidation-fill.ts";
import {
  addToPosition,
  applyClose,
  type ClosedPart,
  emitClosed,
  planClose,
  positionToOpen,
} from "./positions.ts";
import { addResting, leaveBook, ownerOfContractOrder } from "./resting-orders.ts";

type ContractTrade = EventOf<"contract-trade">;

/** One side of a match and what it pays. */
export interface MatchSide {
  readonly owner: SymbolAccount;
  readonly orderId: number;
  readonly positionSide: PositionSideIndex;
  readonly isClosing: boolean;
  readonly targetPositionId: number;
  /** At placement. */
  readonly leverage: number;
  readonly feeMinor: bigint;
  /** Order margin that the match releases; 0 for a closing side. */
  readonly releasedMinor: bigint;
  readonly liquidation: LiquidationTerms | null;
}

export interface Match {
  readonly kind: MatchKind;
  readonly market: ContractMarket;
  readonly takerSide: SideIndex;
  readonly priceTicks: number;
  readonly lots: number;
  readonly valueMinor: bigint;
  readonly maker: MatchSide;
  readonly taker: MatchSide;
}

/** A match in the book that was worked out and not settled yet. */
export interface BookMatch extends Match {
  readonly makerSlot: number;
  readonly makerNumerator: bigint;
  readonly takerNumerator: bigint;
}

/** What `lots` of the taker and a resting order would pay, at the resting order's price. */
export function planMatch(
  { state }: Context,
  taker: ContractTaker,
  makerSlot: number,
  lots: number,
): BookMatch {
  const { contract } = state;
  const { extras, orders } = contract;
  const { terms } = taker;
  const { market } = terms;
  const priceTicks = orders.priceTicks(makerSlot);
  const tradedMinor = valueMinor(market.rules, priceTicks, lots);
  const makerBefore = orders.progress(makerSlot)?.feeNumerator ?? 0n;
  const makerNumerator = addExactFee(makerBefore, tradedMinor, orders.makerFeeRateE8(makerSlot));
  const takerNumerator = addExactFee(taker.feeNumerator, tradedMinor, terms.takerFeeRateE8);
  const openLots = orders.openLots(makerSlot);
  const makerReleasedMinor =
    frozenForLots(contract, makerSlot, openLots) -
    frozenForLots(contract, makerSlot, openLots - lots);
  return {
    kind: taker.liquidation === null ? "book" : "liquidation",
    market,
    takerSide: terms.side,
    priceTicks,
    lots,
    valueMinor: tradedMinor,
    maker: {
      owner: ownerOfContractOrder(state, makerSlot),
      orderId: orders.orderId(makerSlot),
      positionSide: extras.positionSide(makerSlot),
      isClosing: extras.isClosing(makerSlot),
      targetPositionId: extras.targetPositionId(makerSlot),
      leverage: extras.leverage(makerSlot),
      feeMinor: feeDueMinor(makerBefore, makerNumerator),
      releasedMinor: makerReleasedMinor,
      liquidation: null,
    },
    taker: takerSideOf(
      taker,
      feeDueMinor(taker.feeNumerator, takerNumerator),
      taker.frozenMinor - frozenByTaker(taker, taker.filledLots + lots),
    ),
    makerSlot,
    makerNumerator,
    takerNumerator,
  };
}

function takerSideOf(taker: ContractTaker, feeMinor: bigint, releasedMinor: bigint): MatchSide {
  const { terms } = taker;
  return {
    owner: taker.owner,
    orderId: taker.orderId,
    positionSide: terms.positionSide,
    isClosing: terms.isClosing,
    targetPositionId: terms.targetPositionId,
    leverage: terms.leverage,
    feeMinor,
    releasedMinor,
    liquidation: taker.liquidation,
  };
}

/** What an order that is being matched freezes for what it has not filled, at its assumed price. */
function frozenByTaker({ terms }: ContractTaker, filledLots: number): bigint {
  if (terms.isClosing) return 0n;
  const rateE8 = Math.max(terms.takerFeeRateE8, terms.makerFeeRateE8);
  const { market, assumedTicks, quantityLots, leverage } = terms;
  return freezeOf(market.rules, assumedTicks, quantityLots - filledLots, leverage, rateE8);
}

/** A match from the taker's side. */
export function advanceTaker(taker: ContractTaker, match: BookMatch): void {
  taker.filledLots += match.lots;
  taker.filledValueMinor += match.valueMinor;
  taker.feeNumerator = match.takerNumerator;
  taker.frozenMinor -= match.taker.releasedMinor;
}

/** Settles a match in the book. */
export function settleMatch(context: Context, taker: ContractTaker, match: BookMatch): void {
  const { extras, orders } = context.state.contract;
  const { market, makerSlot, lots, priceTicks, maker } = match;
  advanceTaker(taker, match);
  taker.hasTradedInBook = true;
  const filledQuoteMinor = (orders.progress(makerSlot)?.filledQuoteMinor ?? 0n) + match.valueMinor;
  const updatedMs = context.nowMs;
  orders.setProgress(makerSlot, {
    filledQuoteMinor,
    feeNumerator: match.makerNumerator,
    updatedMs,
  });
  market.book.reduce(makerSlot, lots);
  addResting(maker.owner, maker, -lots);
  market.lastTicks = priceTicks;
  const baseMinor = BigInt(lots) * market.rules.baseMinorPerLot;
  market.ticker.record(priceTicks, baseMinor, match.valueMinor, context.nowMs);
  settleSides(context, match);
  if (extras.hasAttached(makerSlot)) {
    parentProgressed(context, maker.orderId, orders.filledLots(makerSlot));
  }
  if (taker.hasAttached) parentProgressed(context, taker.orderId, taker.filledLots);
  if (orders.openLots(makerSlot) === 0) leaveBook(context, maker.owner, makerSlot, "filled");
}

/**
 * Settles two orders of the exchange that close one side each, outside the book and without fees,
 * for deleveraging and netting. The last price stays.
 */
export function settleOffBook(
  context: Context,
  kind: "adl" | "netting",
  market: ContractMarket,
  priceTicks: number,
  lots: number,
  maker: ContractTaker,
  taker: ContractTaker,
): void {
  const tradedMinor = valueMinor(market.rules, priceTicks, lots);
  for (const order of [maker, taker]) {
    invariant(order.terms.isClosing, "nothing is opened outside of the book");
    order.filledLots += lots;
    order.filledValueMinor += tradedMinor;
  }
  settleSides(context, {
    kind,
    market,
    takerSide: taker.terms.side,
    priceTicks,
    lots,
    valueMinor: tradedMinor,
    maker: takerSideOf(maker, 0n, 0n),
    taker: takerSideOf(taker, 0n, 0n),
  });
}

/** The result of settling one side. */
interface Settled {
  readonly fill: ContractTrade["maker"];
  readonly closed: readonly Position[];
  /** Emits what the trade event of a liquidation does not have. */
  readonly emitSettled: ((tradeId: number) => void) | null;
}

function settleSides(context: Context, match: Match): void {
  const { state } = context;
  const { market } = match;
  const maker = settleSide(context, match, match.maker);
  const taker = settleSide(context, match, match.taker);
  const tradeId = state.nextTradeId++;
  context.emit({
    type: "contract-trade",
    tradeId,
    symbol: market.symbol,
    kind: match.kind,
    takerSide: match.takerSide === BUY ? "BUY" : "SELL",
    priceTicks: match.priceTicks,
    quantityLots: match.lots,
    valueMinor: match.valueMinor,
    asset: market.rules.marginAsset.asset,
    maker: maker.fill,
    taker: taker.fill,
    openInterestLots: Number(market.openLots[LONG]),
  });
  const isInBook = match.kind === "book" || match.kind === "liquidation";
  if (
    isInBook &&
    mayEarnCommission(match.maker.owner.account.user, match.taker.owner.account.user)
  ) {
    accrue(context, match, maker, taker, tradeId);
  }
  maker.emitSettled?.(tradeId);
  taker.emitSettled?.(tradeId);
  emitClosed(context, maker.closed);
  emitClosed(context, taker.closed);
}

/** Fees taken; in a liquidation, the part that could be paid. */
function accrue(
  context: Context,
  { market, valueMinor: notionalMinor, maker, taker }: Match,
  settledMaker: Settled,
  settledTaker: Settled,
  tradeId: number,
): void {
  const { marginAsset, quoteAsset } = market.rules;
  const sideOf = ({ owner }: MatchSide, { fill }: Settled) => {
    return { trader: owner.account.user, feeAsset: marginAsset, feeMinor: fill.feeMinor };
  };
  accrueCommissions(context, {
    product: "contract",
    symbol: market.symbol,
    tradeId,
    quoteAsset,
    notionalMinor,
    maker: sideOf(maker, settledMaker),
    taker: sideOf(taker, settledTaker),
  });
}

function settleSide(context: Context, match: Match, side: MatchSide): Settled {
  const { state } = context;
  const { contract, ledger } = state;
  const { account } = side.owner;
  const walletBeforeMinor = walletMinor(ledger, account);
  contract.dirtyAccounts.add(account);
  const settled = side.isClosing
    ? settleClosing(context, match, side)
    : settleOpening(context, match, side);
  contract.risk.accountChanged(account);
  const { positionId, feeMinor, realizedPnlMinor, closed, emitSettled } = settled;
  return {
    closed,
    emitSettled,
    fill: {
      uid: account.user.uid,
      orderId: side.orderId,
      positionSide: POSITION_SIDES[side.positionSide],
      positionId,
      isClosing: side.isClosing,
      feeMinor,
      realizedPnlMinor,
      // Margin moves within the wallet; of a liquidation this is what it is before the fund's part.
      walletMinor: walletBeforeMinor + realizedPnlMinor - feeMinor,
    },
  };
}

interface SettledSide extends Omit<Settled, "fill"> {
  /** The first position of the fill. */
  readonly positionId: number;
  readonly feeMinor: bigint;
  readonly realizedPnlMinor: bigint;
}

/**
 * Fee and margin of an opening side, out of what was frozen. Each is rounded up on its own, so
 * together they may exceed it by a unit or so; where the account has nothing else, that much less
 * is taken.
 */
export function openingMoney(
  match: Match,
  { owner, leverage, feeMinor: dueMinor, releasedMinor }: MatchSide,
  cashMinor: bigint,
): { readonly feeMinor: bigint; readonly marginMinor: bigint } {
  const payableMinor = releasedMinor + (cashMinor > 0n ? cashMinor : 0n);
  const feeMinor = lesser(dueMinor, payableMinor);
  const isIsolated = owner.marginType === "ISOLATED";
  const neededMinor = isIsolated ? initialMarginMinor(match.valueMinor, leverage) : 0n;
  return { feeMinor, marginMinor: lesser(neededMinor, payableMinor - feeMinor) };
}

function settleOpening(context: Context, match: Match, side: MatchSide): SettledSide {
  const { state } = context;
  const { ledger } = state;
  const { owner, positionSide, releasedMinor } = side;
  const { base, assetIndex } = owner.account;
  const availableAt = base + CONTRACT_AVAILABLE;
  const { feeMinor, marginMinor } = openingMoney(match, side, ledger.balance(availableAt));
  ledger.move(base + CONTRACT_ORDER_MARGIN, availableAt, releasedMinor);
  ledger.draw(availableAt, ledger.houseAccount(assetIndex, "fees"), feeMinor);
  ledger.draw(availableAt, base + CONTRACT_POSITION_MARGIN, marginMinor);
  const position = positionToOpen(context, owner, positionSide, side.orderId);
  const { lots } = match;
  addToPosition(context, position, { lots, valueMinor: match.valueMinor, feeMinor, marginMinor });
  const { positionId } = position;
  return { positionId, feeMinor, realizedPnlMinor: 0n, closed: [], emitSettled: null };
}

function settleClosing(context: Context, match: Match, side: MatchSide): SettledSide {
  const { owner, positionSide, targetPositionId } = side;
  const { lots, priceTicks } = match;
  const parts = planClose(owner, positionSide, targetPositionId, lots, priceTicks, side.feeMinor);
  let realizedPnlMinor = 0n;
  for (const part of parts) realizedPnlMinor += part.realizedMinor;
  let feeMinor = side.feeMinor;
  let emitSettled: Settled["emitSettled"] = null;
  if (side.liquidation === null) {
    postClosing(context.state, owner.account, parts, realizedPnlMinor, feeMinor);
  } else {
    const { valueMinor: tradedMinor } = match;
    const money = settleLiquidationSide(context, parts, tradedMinor, feeMinor, side.liquidation);
    feeMinor = money.feeMinor;
    emitSettled = money.emitSettled;
  }
  const closed = applyClose(context, parts);
  const { positionId } = (parts[0] as ClosedPart).position;
  return { positionId, feeMinor, realizedPnlMinor, closed, emitSettled };
}

/** Margin that is released and profit come first, so that fee and loss are paid out of them. */
function postClosing(
  { ledger }: State,
  account: MarginAccount,
  parts: readonly ClosedPart[],
  realizedMinor: bigint,
  feeMinor: bigint,
): void {
  const availableAt = account.base + CONTRACT_AVAILABLE;
  const clearing = ledger.houseAccount(account.assetIndex, "pnl-clearing");
  for (const { releasedMinor } of parts) {
    ledger.move(account.base + CONTRACT_POSITION_MARGIN, availableAt, releasedMinor);
  }
  if (realizedMinor > 0n) ledger.move(clearing, availableAt, realizedMinor);
  ledger.draw(availableAt, ledger.houseAccount(account.assetIndex, "fees"), feeMinor);
  if (realizedMinor < 0n) ledger.draw(availableAt, clearing, -realizedMinor);
}

function lesser(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
