/**
 * Which matches may happen. A fill is refused when it would make its account due for liquidation,
 * since the insurance fund would pay what the other side wins, or when closing would leave a debt.
 * Liquidation itself is exempt.
 */
import { CONTRACT_AVAILABLE, type Ledger } from "../../ledger/ledger.ts";
import { RULES_WITH_MARKET_INTEGRITY } from "../../rules-version.ts";
import type { Context, State } from "../../state.ts";
import { availableBalanceMinor, crossEquityMinor } from "../formulas/account-equity.ts";
import { pnlMinor, valueMinor } from "../formulas/valuation.ts";
import type { SymbolAccount } from "../state/contract-market.ts";
import { AccountPicture } from "./account-picture.ts";
import { type BookMatch, type Match, type MatchSide, openingMoney } from "./fill.ts";
import { type Enlargement, planClose, positionOfOrder } from "./positions.ts";

/** The accounts of a match before it: as they are, or as pictured fills have left them. */
export interface AccountsBefore {
  /** A picture that is only read. */
  of(owner: SymbolAccount): AccountPicture;
  /** Another one of the same, to apply fills to. */
  copyOf(owner: SymbolAccount): AccountPicture;
}

/** The accounts as they are now. */
function presentAccounts(ledger: Ledger): AccountsBefore {
  const of = (owner: SymbolAccount) => AccountPicture.of(ledger, owner);
  return { of, copyOf: of };
}

export function makerCanSettle({ state }: Context, match: BookMatch): boolean {
  return canSettle(state, match, match.maker, match.taker);
}

export function takerCanSettle({ state }: Context, match: BookMatch): boolean {
  return canSettle(state, match, match.taker, match.maker);
}

function canSettle(state: State, match: Match, side: MatchSide, other: MatchSide): boolean {
  if (side.liquidation !== null) return true;
  if (state.rulesVersion < RULES_WITH_MARKET_INTEGRITY) {
    return !side.isClosing || bearsClosing(state, match, side, other);
  }
  return isFit(presentAccounts(state.ledger), match, side, other);
}

/**
 * Whether a side may be filled. Its account is looked at as both sides of the match leave it, if
 * both are its own. The effect of a liquidation on the account when it is its own maker is left
 * out: it takes no more than the margin of what it closes.
 */
export function isFit(
  accounts: AccountsBefore,
  match: Match,
  side: MatchSide,
  other: MatchSide,
): boolean {
  if (side.liquidation !== null) return true;
  const isOneAccount = side.owner === other.owner && other.liquidation === null;
  const after = accounts.copyOf(side.owner);
  if (isOneAccount) {
    after.apply(match, match.maker);
    after.apply(match, match.taker);
  } else {
    after.apply(match, side);
  }
  if (!side.isClosing) return !after.isDueAfterOpening(side.positionSide);
  const before = accounts.of(side.owner);
  if (isOneAccount && !other.isClosing) {
    const alone = accounts.copyOf(side.owner);
    alone.apply(match, side);
    if (!bearsBesideOpening(before, alone, after, other === match.maker)) return false;
  } else if (!bears(before, after)) {
    return false;
  }
  return !isThinned(before, after);
}

/** No debt: isolated positions pay from the available balance, cross ones from equity. */
function bears(before: AccountPicture, after: AccountPicture): boolean {
  if (before.owner.marginType === "ISOLATED") return bearsIsolated(before, after);
  if (after.crossEquityMinor < 0n) return false;
  // Without a cross position there is no unrealised profit that could cover a debt in cash.
  return after.hasCrossPositions || after.cashMinor >= 0n;
}

function bearsIsolated(before: AccountPicture, after: AccountPicture): boolean {
  return after.cashMinor - before.cashMinor + before.availableBalanceMinor >= 0n;
}

/**
 * When an order of the account itself opens what another one closes, or closes beside it, the close
 * must be bearable without it too. A maker that opens goes first, and changes what the taker then
 * closes; a taker that opens takes no more than there is.
 */
function bearsBesideOpening(
  before: AccountPicture,
  alone: AccountPicture,
  after: AccountPicture,
  isOpenedFirst: boolean,
): boolean {
  if (before.owner.marginType === "ISOLATED") {
    return bearsIsolated(before, alone) && (!isOpenedFirst || bearsIsolated(before, after));
  }
  return alone.crossEquityMinor >= 0n && after.crossEquityMinor >= 0n;
}

/**
 * Whether a close leaves an account due that was not, or one whose liquidation waits with less
 * equity for its maintenance. At the mark, or anywhere near it, closing does neither.
 */
function isThinned(before: AccountPicture, after: AccountPicture): boolean {
  if (!after.isCrossDue()) return false;
  if (!before.isCrossDue()) return true;
  return (
    after.crossEquityMinor * before.crossMaintenanceE8 <
    before.crossEquityMinor * after.crossMaintenanceE8
  );
}

/**
 * The rule before pictures: closing must not leave a debt, and an opening side has frozen what it
 * needs. When both sides of one account close, what the other one needs or brings counts too.
 */
function bearsClosing(state: State, match: Match, side: MatchSide, other: MatchSide): boolean {
  const { ledger } = state;
  const { account, marginType } = side.owner;
  const isOneAccount = side.owner === other.owner && other.liquidation === null;
  const closesBoth = isOneAccount && other.isClosing;
  const own = closingEffect(match, side, null);
  const others = closesBoth ? closingEffect(match, other, null) : NO_CLOSING_EFFECT;
  const cashMinor = own.cashMinor + others.cashMinor;
  const opensToo = isOneAccount && !other.isClosing;
  if (marginType === "ISOLATED") {
    const availableMinor = availableBalanceMinor(ledger, account);
    if (cashMinor + availableMinor < 0n) return false;
    // A maker that opens goes first, and changes what the taker then closes.
    if (!opensToo || other !== match.maker) return true;
    return cashAfterOpening(state, match) + availableMinor >= 0n;
  }
  const equityMinor = crossEquityMinor(ledger, account) + equityEffect(match, side);
  const othersMinor = isOneAccount ? equityEffect(match, other) : 0n;
  if (equityMinor + othersMinor < 0n || (opensToo && equityMinor < 0n)) return false;
  // Without a cross position there is no unrealised profit that could cover a debt in cash.
  const left = account.crossPositions.length - own.closedPositions - others.closedPositions;
  if (left > 0 || opensToo) return true;
  return ledger.balance(account.base + CONTRACT_AVAILABLE) + cashMinor >= 0n;
}

/**
 * The cash that a closing side returns, negative when it needs some, and how many positions end.
 */
interface ClosingEffect {
  readonly cashMinor: bigint;
  readonly closedPositions: number;
}

const NO_CLOSING_EFFECT: ClosingEffect = { cashMinor: 0n, closedPositions: 0 };

function closingEffect(
  match: Match,
  { owner, positionSide, targetPositionId, feeMinor }: MatchSide,
  enlarged: Enlargement | null,
): ClosingEffect {
  const { lots, priceTicks } = match;
  const parts = planClose(
    owner,
    positionSide,
    targetPositionId,
    lots,
    priceTicks,
    feeMinor,
    enlarged,
  );
  let cashMinor = -feeMinor;
  let closedPositions = 0;
  for (const part of parts) {
    cashMinor += part.releasedMinor + part.realizedMinor;
    if (part.lots === part.position.sizeLots) closedPositions++;
  }
  return { cashMinor, closedPositions };
}

/** What a side of a match changes in the equity of its account at the present mark. */
function equityEffect(match: Match, { positionSide, isClosing, feeMinor }: MatchSide): bigint {
  const { market, lots } = match;
  const atMarkMinor = valueMinor(market.rules, market.mark.ticks, lots);
  const gainMinor = pnlMinor(positionSide, match.valueMinor, atMarkMinor);
  // Closing at a price gives away what opening at it would gain.
  return (isClosing ? -gainMinor : gainMinor) - feeMinor;
}

/** Cash of an account whose resting order opens isolated what its incoming order then closes. */
function cashAfterOpening({ ledger }: State, match: Match): bigint {
  const { maker, taker, lots } = match;
  const { owner, positionSide, orderId, releasedMinor } = maker;
  const cashMinor = ledger.balance(owner.account.base + CONTRACT_AVAILABLE);
  const { feeMinor, marginMinor } = openingMoney(match, maker, cashMinor);
  const position = positionOfOrder(owner, positionSide, orderId);
  const enlarged =
    position === null
      ? null
      : { positionId: position.positionId, lots, valueMinor: match.valueMinor, marginMinor };
  const openedMinor = releasedMinor - feeMinor - marginMinor;
  return openedMinor + closingEffect(match, taker, enlarged).cashMinor;
}
