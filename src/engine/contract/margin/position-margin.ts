/** Margin of isolated positions: added and removed by the holder, or appended automatically. */
import {
  accept,
  formatDecimal,
  POSITION_SIDES,
  parseDecimal,
  type Result,
  reject,
} from "../../../domain/index.ts";
import type { CommandOf, EventOf } from "../../../protocol/index.ts";
import { CONTRACT_AVAILABLE, CONTRACT_POSITION_MARGIN } from "../../ledger/ledger.ts";
import { RULES_WITH_MARKET_INTEGRITY } from "../../rules-version.ts";
import type { Context, State } from "../../state.ts";
import {
  availableBalanceMinor,
  isCrossDueWithout,
  isolatedRateE8,
  markValueMinor,
  unrealizedMinor,
  walletMinor,
} from "../formulas/account-equity.ts";
import { initialMarginMinor, isMarginDue, ONE_E8 } from "../formulas/valuation.ts";
import type { MarginAccount, Position } from "../state/contract-market.ts";

export function movePositionMargin(
  context: Context,
  command: CommandOf<"move-position-margin">,
): Result<null> {
  const { state } = context;
  const found = ownIsolatedPosition(state, command);
  if (!found.ok) return found;
  const position = found.value;
  const { account, market } = position.owner;
  const { scale } = market.rules.marginAsset;
  const amountMinor = parseDecimal(command.amount, scale);
  if (typeof amountMinor === "string") return reject(amountMinor, "amount");
  if (amountMinor === 0n) return reject("out-of-range", "amount", "more than 0");
  if (command.direction === "add") {
    const isThere = amountMinor <= availableBalanceMinor(state.ledger, account);
    if (!isThere || makesCrossDue(state, account, amountMinor)) {
      return reject("insufficient-margin", "amount");
    }
    moveMargin(context, position, amountMinor, "user");
    return accept(null);
  }
  const mostMinor = removableMinor(position);
  if (amountMinor > mostMinor) {
    const most = formatDecimal(mostMinor, scale);
    return reject("failed-precondition", "amount", `at most ${most} can be taken out`);
  }
  if (makesDue(state, position, amountMinor)) {
    return reject("failed-precondition", "amount", "less: it would be liquidated without it");
  }
  moveMargin(context, position, -amountMinor, "user");
  return accept(null);
}

export function setAutoAppendMargin(
  context: Context,
  command: CommandOf<"set-auto-append-margin">,
): Result<null> {
  const found = ownIsolatedPosition(context.state, command);
  if (!found.ok) return found;
  const position = found.value;
  const { enabled } = command;
  if (position.autoAppend === enabled) return accept(null);
  position.autoAppend = enabled;
  const { account, market } = position.owner;
  context.emit({
    type: "auto-append-set",
    symbol: market.symbol,
    uid: account.user.uid,
    positionId: position.positionId,
    enabled,
  });
  return accept(null);
}

/**
 * Saves an isolated position that is due by bringing its margin back to value / leverage out of
 * what the account has available, or as far as that goes. When it would still be due, or the cross
 * positions of the account would be, nothing is added. Returns whether it was saved.
 */
export function appendMargin(context: Context, position: Position): boolean {
  if (!position.autoAppend) return false;
  const { owner, side, marginMinor } = position;
  const value = markValueMinor(position);
  const equityMinor = marginMinor + unrealizedMinor(position);
  const availableMinor = availableBalanceMinor(context.state.ledger, owner.account);
  let addedMinor = initialMarginMinor(value, position.leverage) - equityMinor;
  if (addedMinor > availableMinor) addedMinor = availableMinor;
  const isSaved = (equityMinor + addedMinor) * ONE_E8 > value * isolatedRateE8(owner, side);
  if (addedMinor <= 0n || !isSaved) return false;
  // One position is not saved by giving up the others.
  if (makesCrossDue(context.state, owner.account, addedMinor)) return false;
  moveMargin(context, position, addedMinor, "auto-append");
  return true;
}

/** Only the user's own position is found; a cross one has no margin of its own. */
function ownIsolatedPosition(
  state: State,
  { uid, positionId }: { readonly uid: number; readonly positionId: number },
): Result<Position> {
  if (!state.users.has(uid)) return reject("unknown-user", "uid");
  const position = state.contract.positions.get(positionId);
  if (position === undefined || position.owner.account.user.uid !== uid) {
    return reject("failed-precondition", "isolatedPositionId", "an open position of your own");
  }
  if (position.marginType !== "ISOLATED") {
    return reject("failed-precondition", "isolatedPositionId", "an isolated position");
  }
  return accept(position);
}

/** What exceeds value / leverage; unrealised profit cannot be removed. */
function removableMinor(position: Position): bigint {
  const pnlMinor = unrealizedMinor(position);
  const neededMinor = initialMarginMinor(markValueMinor(position), position.leverage);
  const mostMinor = position.marginMinor + (pnlMinor < 0n ? pnlMinor : 0n) - neededMinor;
  return mostMinor > 0n ? mostMinor : 0n;
}

/**
 * Value / leverage is less than the maintenance margin where a position has grown into a tier whose
 * highest leverage is below its own. What is above it may be needed all the same.
 */
function makesDue(state: State, position: Position, removedMinor: bigint): boolean {
  if (state.rulesVersion < RULES_WITH_MARKET_INTEGRITY) return false;
  const { owner, side, sizeLots, openValueMinor, marginMinor } = position;
  const { account, market } = owner;
  const left = { sizeLots, openValueMinor, marginMinor: marginMinor - removedMinor };
  const rateE8 = isolatedRateE8(owner, side);
  return (
    isMarginDue(market.rules, side, left, market.mark.ticks, rateE8) ||
    isCrossDueWithout(state.ledger, account, -removedMinor)
  );
}

function makesCrossDue(state: State, account: MarginAccount, takenMinor: bigint): boolean {
  if (state.rulesVersion < RULES_WITH_MARKET_INTEGRITY) return false;
  return isCrossDueWithout(state.ledger, account, takenMinor);
}

/** A positive amount goes into the position's margin, a negative one out of it. */
function moveMargin(
  context: Context,
  position: Position,
  deltaMinor: bigint,
  cause: EventOf<"position-margin-moved">["cause"],
): void {
  const { contract, ledger } = context.state;
  const { owner, positionId, side } = position;
  const { account, market } = owner;
  const available = account.base + CONTRACT_AVAILABLE;
  const locked = account.base + CONTRACT_POSITION_MARGIN;
  if (deltaMinor > 0n) ledger.move(available, locked, deltaMinor);
  else ledger.move(locked, available, -deltaMinor);
  position.marginMinor += deltaMinor;
  account.isolatedMarginMinor += deltaMinor;
  position.updatedSequence = context.sequence;
  position.updatedMs = context.nowMs;
  contract.dirtyAccounts.add(account);
  contract.risk.positionChanged(position);
  contract.risk.accountChanged(account);
  context.emit({
    type: "position-margin-moved",
    symbol: market.symbol,
    uid: account.user.uid,
    positionId,
    positionSide: POSITION_SIDES[side],
    asset: market.rules.marginAsset.asset,
    deltaMinor,
    cause,
    marginMinor: position.marginMinor,
    walletMinor: walletMinor(ledger, account),
  });
}
