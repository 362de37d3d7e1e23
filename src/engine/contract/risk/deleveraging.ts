/**
 * Auto-deleveraging. What neither the book nor the insurance fund can take over is closed against
 * the other side of the market: its positions with the most profit for their leverage, at the
 * bankruptcy price, without fees.
 */
import { CONTRACT_AVAILABLE } from "../../ledger/ledger.ts";
import type { Context, State } from "../../state.ts";
import {
  availableBalanceMinor,
  crossEquityMinor,
  markValueMinor,
  unrealizedMinor,
} from "../formulas/account-equity.ts";
import { pnlMinor, valueMinor } from "../formulas/valuation.ts";
import { settleOffBook } from "../orders/fill.ts";
import { beginTaker, finishTaker } from "../orders/matching.ts";
import { systemOrderTerms } from "../orders/place-order.ts";
import { planClose } from "../orders/positions.ts";
import {
  LONG,
  type MarginAccount,
  type Position,
  type PositionSideIndex,
  SHORT,
  type SymbolAccount,
} from "../state/contract-market.ts";
import type { ContractTaker } from "../state/order-terms.ts";

/** A candidate for deleveraging, with its rank. */
interface Candidate {
  readonly position: Position;
  readonly lots: number;
  /** The liquidated user's own: last of all. */
  readonly isOwn: boolean;
  /** Its margin is used up, so its leverage has no number: before all others. */
  readonly isWithoutMargin: boolean;
  /** Profit rate × leverage, or loss rate / leverage, as a fraction. */
  readonly scoreNumerator: bigint;
  /** Above zero. */
  readonly scoreDenominator: bigint;
}

/**
 * Closes up to `lots` of a position in liquidation against the other side, at a price. Returns the
 * closed lots: fewer when no candidate is left that can bear the price.
 */
export function deleverage(
  context: Context,
  taker: ContractTaker,
  position: Position,
  lots: number,
  priceTicks: number,
): number {
  const queue = new CandidateQueue(rankedCandidates(context.state, position));
  let closedLots = 0;
  for (let next = queue.take(); next !== null && closedLots < lots; next = queue.take()) {
    const victim = next.position;
    const victimLots = Math.min(next.lots, lots - closedLots);
    if (!canBear(context.state, victim, victimLots, priceTicks)) continue;
    const { owner, side, positionId } = victim;
    const terms = systemOrderTerms(context.state, owner, side, victimLots, "adl", positionId);
    const maker = beginTaker(context, terms);
    settleOffBook(context, "adl", owner.market, priceTicks, victimLots, maker, taker);
    finishTaker(context, maker);
    closedLots += victimLots;
    owner.market.tallies.deleveragings++;
  }
  return closedLots;
}

/** The positions of the other side, of a hedged cross account only what is not hedged. */
function rankedCandidates(state: State, liquidated: Position): Candidate[] {
  const { account, market } = liquidated.owner;
  const equities = new Map<MarginAccount, bigint>();
  /** What is left of a cross account's net position; its oldest positions come first. */
  const netLots = new Map<SymbolAccount, number>();
  const candidates: Candidate[] = [];
  for (const position of market.positions) {
    const { owner, side, marginType } = position;
    if (side === liquidated.side) continue;
    let lots = position.sizeLots;
    if (marginType === "CROSSED") {
      const leftLots = netLots.get(owner) ?? owner.sideLots[side] - owner.sideLots[otherSide(side)];
      lots = Math.min(lots, leftLots);
      netLots.set(owner, leftLots - lots);
    }
    if (lots <= 0) continue;
    const isOwn = owner.account === account;
    candidates.push({ position, lots, isOwn, ...scoreOf(state, position, equities) });
  }
  return candidates;
}

function otherSide(side: PositionSideIndex): PositionSideIndex {
  return side === LONG ? SHORT : LONG;
}

function scoreOf(
  { ledger }: State,
  position: Position,
  equities: Map<MarginAccount, bigint>,
): Pick<Candidate, "isWithoutMargin" | "scoreNumerator" | "scoreDenominator"> {
  const value = markValueMinor(position);
  const pnl = unrealizedMinor(position);
  let margin = position.marginMinor + pnl;
  if (position.marginType === "CROSSED") {
    const { account } = position.owner;
    margin = equities.get(account) ?? crossEquityMinor(ledger, account);
    equities.set(account, margin);
  }
  const open = position.openValueMinor;
  if (margin <= 0n) return { isWithoutMargin: true, scoreNumerator: 0n, scoreDenominator: 1n };
  return pnl > 0n
    ? { isWithoutMargin: false, scoreNumerator: pnl * value, scoreDenominator: open * margin }
    : { isWithoutMargin: false, scoreNumerator: pnl * margin, scoreDenominator: open * value };
}

/** Deleveraging never leaves a debt. */
function canBear(
  { ledger }: State,
  { owner, side, marginType, positionId, sizeLots }: Position,
  lots: number,
  priceTicks: number,
): boolean {
  const { account, market } = owner;
  let cash = 0n;
  for (const part of planClose(owner, side, positionId, lots, priceTicks, 0n)) {
    cash += part.releasedMinor + part.realizedMinor;
  }
  if (marginType === "ISOLATED") return cash + availableBalanceMinor(ledger, account) >= 0n;
  const atMark = valueMinor(market.rules, market.mark.ticks, lots);
  const atPrice = valueMinor(market.rules, priceTicks, lots);
  const equity = crossEquityMinor(ledger, account) + pnlMinor(side, atMark, atPrice);
  // Without a cross position there is no unrealised profit that could cover a debt in cash.
  const isLast = account.crossPositions.length === 1 && lots === sizeLots;
  if (!isLast) return equity >= 0n;
  return equity >= 0n && ledger.balance(account.base + CONTRACT_AVAILABLE) + cash >= 0n;
}

/** Whether a candidate comes before another one: equal scores by the lower position id. */
function isBefore(one: Candidate, other: Candidate): boolean {
  if (one.isOwn !== other.isOwn) return other.isOwn;
  if (one.isWithoutMargin !== other.isWithoutMargin) return one.isWithoutMargin;
  const left = one.scoreNumerator * other.scoreDenominator;
  const right = other.scoreNumerator * one.scoreDenominator;
  if (left !== right) return left > right;
  return one.position.positionId < other.position.positionId;
}

/** Gives candidates out first to last without sorting all of them: few are ever needed. */
class CandidateQueue {
  readonly #heap: Candidate[];

  constructor(candidates: Candidate[]) {
    this.#heap = candidates;
    for (let place = (candidates.length >> 1) - 1; place >= 0; place--) this.#sink(place);
  }

  take(): Candidate | null {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (first === undefined || last === undefined) return null;
    if (this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    return first;
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const item = heap[from] as Candidate;
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      const other = child + 1;
      if (other < heap.length && isBefore(heap[other] as Candidate, heap[child] as Candidate)) {
        child = other;
      }
      if (!isBefore(heap[child] as Candidate, item)) break;
      heap[place] = heap[child] as Candidate;
      place = child;
    }
    heap[place] = item;
  }
}
