/** A user's settings in one market: leverage, margin type, one or several positions per side. */
import { accept, type Result, reject } from "../../../domain/index.ts";
import type { CommandOf, ContractSettingsView } from "../../../protocol/index.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Context, State, User } from "../../state.ts";
import { findSymbolAccount, symbolAccountOf } from "../contract-state.ts";
import {
  availableBeforeFloorMinor,
  markValueMinor,
  unrealizedMinor,
} from "../formulas/account-equity.ts";
import { initialMarginMinor, tierIndex, valueMinor } from "../formulas/valuation.ts";
import {
  type ContractMarket,
  LONG,
  type PositionSideIndex,
  SHORT,
  type SymbolAccount,
} from "../state/contract-market.ts";

type SetLeverage = CommandOf<"set-leverage">;

/** One of the three leverages of a market. */
interface LeverageChange {
  readonly field: "crossLeverage" | "isolatedLongLeverage" | "isolatedShortLeverage";
  /** Null for the leverage of cross positions. */
  readonly side: PositionSideIndex | null;
  readonly before: number;
  readonly after: number;
}

/** No money moves: the margin of isolated positions stays, and orders keep their leverage. */
export function setLeverage(context: Context, command: SetLeverage): Result<ContractSettingsView> {
  const { state } = context;
  const found = findSettings(state, command);
  if (!found.ok) return found;
  const { user, market, owner, present } = found.value;
  const { marginType } = command;
  if (marginType !== null && marginType !== present.marginType) {
    return reject("out-of-range", "marginType", `the present one: ${present.marginType}`);
  }
  const changes = readChanges(command, present);
  if (changes.length === 0) {
    return reject("malformed", null, "at least one of the three leverages");
  }
  // A leverage set earlier stays, even above the market's current maximum.
  const real = changes.filter(({ before, after }) => before !== after);
  const { minLeverage, maxLeverage } = market.rules;
  for (const { field, after } of changes) {
    if (after < minLeverage) return reject("out-of-range", field, `at least ${minLeverage}`);
  }
  for (const { field, after } of real) {
    if (after > maxLeverage) {
      return reject("leverage-above-maximum", field, `at most ${maxLeverage}`);
    }
  }
  if (real.length === 0) return accept(present);
  if (owner !== null) {
    const refusal = refusalOfChanges(state.ledger, owner, real);
    if (refusal !== null) return refusal;
  }
  const changed = symbolAccountOf(state, user, market);
  for (const { side, after } of real) {
    if (side === null) changed.crossLeverage = after;
    else changed.isolatedLeverage[side] = after;
  }
  return accept(emitSettings(context, changed));
}

export function setMarginType(
  context: Context,
  command: CommandOf<"set-margin-type">,
): Result<null> {
  const { state } = context;
  const found = findSettings(state, command);
  if (!found.ok) return found;
  const { user, market, owner, present } = found.value;
  const { marginType } = command;
  const separatedType = command.separatedType ?? present.separatedType;
  if (marginType === present.marginType && separatedType === present.separatedType) {
    return accept(null);
  }
  const isInUse =
    owner !== null &&
    (owner.openOrders > 0 || owner.sideLots[LONG] > 0 || owner.sideLots[SHORT] > 0);
  if (isInUse) return reject("margin-type-in-use", "symbol", "no open order and no position");
  const changed = symbolAccountOf(state, user, market);
  changed.marginType = marginType;
  changed.separatedType = separatedType;
  emitSettings(context, changed);
  return accept(null);
}

interface FoundSettings {
  readonly user: User;
  readonly market: ContractMarket;
  /** Null where the user never did anything. */
  readonly owner: SymbolAccount | null;
  readonly present: ContractSettingsView;
}

function findSettings(
  state: State,
  { uid, symbol }: { readonly uid: number; readonly symbol: string },
): Result<FoundSettings> {
  const user = state.users.get(uid);
  if (user === undefined) return reject("unknown-user", "uid");
  const market = state.contract.marketsBySymbol.get(symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  const owner = findSymbolAccount(state, user, market);
  return accept({ user, market, owner, present: settingsOf(market, owner) });
}

function emitSettings(context: Context, owner: SymbolAccount): ContractSettingsView {
  const settings = settingsOf(owner.market, owner);
  const { uid } = owner.account.user;
  context.emit({ type: "contract-settings-changed", uid, ...settings });
  return settings;
}

/** A user's settings in a market; the defaults where nothing was ever set. */
export function settingsOf(
  market: ContractMarket,
  owner: SymbolAccount | null,
): ContractSettingsView {
  const { defaultLeverage } = market.rules;
  return {
    symbol: market.symbol,
    marginType: owner?.marginType ?? "CROSSED",
    separatedType: owner?.separatedType ?? "COMBINED",
    crossLeverage: owner?.crossLeverage ?? defaultLeverage,
    isolatedLongLeverage: owner?.isolatedLeverage[LONG] ?? defaultLeverage,
    isolatedShortLeverage: owner?.isolatedLeverage[SHORT] ?? defaultLeverage,
  };
}

function readChanges(command: SetLeverage, present: ContractSettingsView): LeverageChange[] {
  const fields = [
    { field: "crossLeverage", side: null },
    { field: "isolatedLongLeverage", side: LONG },
    { field: "isolatedShortLeverage", side: SHORT },
  ] as const;
  const changes: LeverageChange[] = [];
  for (const { field, side } of fields) {
    const after = command[field];
    if (after !== null) changes.push({ field, side, before: present[field], after });
  }
  return changes;
}

function refusalOfChanges(
  ledger: Ledger,
  owner: SymbolAccount,
  changes: readonly LeverageChange[],
): Result<never> | null {
  for (const { field, side, after } of changes) {
    const most = tierMaxLeverage(owner, side);
    if (after > most)
      return reject("leverage-above-maximum", field, `at most ${most} at this size`);
  }
  if (owner.restingOpenLots[LONG] > 0 || owner.restingOpenLots[SHORT] > 0) {
    return reject("leverage-in-use", "symbol", "no resting order that opens a position");
  }
  for (const change of changes) {
    if (change.after < change.before && !canLower(ledger, owner, change)) {
      return reject("insufficient-margin", change.field);
    }
  }
  return null;
}

/** The highest leverage of the tier of what the leverage applies to, at the mark. */
function tierMaxLeverage(owner: SymbolAccount, side: PositionSideIndex | null): number {
  const { market, marginType, sideLots, restingOpenLots } = owner;
  const { rules, mark } = market;
  let notional = 0n;
  if ((marginType === "CROSSED") === (side === null)) {
    for (const counted of [LONG, SHORT] as const) {
      if (side !== null && counted !== side) continue;
      notional += valueMinor(rules, mark.ticks, sideLots[counted]);
      notional += valueMinor(rules, mark.ticks, restingOpenLots[counted]);
    }
  }
  return rules.tiers[tierIndex(rules, notional)]?.maxLeverage ?? rules.maxLeverage;
}

/**
 * A lower leverage needs more margin. An isolated position must have it already; the account of
 * cross positions must have it available.
 */
function canLower(
  ledger: Ledger,
  { account, marginType, positions }: SymbolAccount,
  { side, before, after }: LeverageChange,
): boolean {
  if (side === null) {
    const held = [...positions[LONG], ...positions[SHORT]];
    if (marginType !== "CROSSED" || held.length === 0) return true;
    let available = availableBeforeFloorMinor(ledger, account);
    for (const position of held) {
      const value = markValueMinor(position);
      available += initialMarginMinor(value, before) - initialMarginMinor(value, after);
    }
    return available >= 0n;
  }
  if (marginType !== "ISOLATED") return true;
  return positions[side].every((position) => {
    const pnl = unrealizedMinor(position);
    const margin = position.marginMinor + (pnl < 0n ? pnl : 0n);
    return margin >= initialMarginMinor(markValueMinor(position), after);
  });
}
