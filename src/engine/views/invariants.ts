/**
 * The full check of invariants: sums of the ledger, balances, reservations against open orders, and
 * the books. It walks the whole state, so it runs on request, never on the path of an order.
 */
import { formatDecimal, HOUSE_ACCOUNTS, USER_ACCOUNTS } from "../../domain/index.ts";
import type { InvariantsView } from "../../protocol/index.ts";
import { checkAffiliates } from "../affiliate/invariants.ts";
import { checkContracts } from "../contract/invariants.ts";
import { CONTRACT_AVAILABLE, SPOT_FROZEN } from "../ledger/ledger.ts";
import { BUY, NONE } from "../matching/slot.ts";
import { openOrderSlots } from "../spot/open-orders.ts";
import { frozenByRestMinor } from "../spot/resting-orders.ts";
import { type Asset, type State, type User, userBalance } from "../state.ts";
import { checkWithdrawals, frozenByWithdrawals } from "../withdrawals/invariants.ts";
import { countKey } from "../withdrawals/withdrawal-state.ts";

export function checkInvariants(state: State): Omit<InvariantsView, "stateHash"> {
  const violations: string[] = [];
  const totals: Record<string, Record<string, string>> = {};
  for (const asset of state.assets) totals[asset.asset] = assetTotals(state, asset, violations);
  const withdrawn = frozenByWithdrawals(state);
  for (const user of state.users.values()) checkUser(state, user, withdrawn, violations);
  checkBooks(state, violations);
  checkContracts(state, violations);
  checkAffiliates(state, violations);
  checkWithdrawals(state, violations);
  return { ok: violations.length === 0, violations, totals };
}

function assetTotals(state: State, asset: Asset, violations: string[]): Record<string, string> {
  const bases = [...state.users.values()]
    .map((user) => user.accountBases[asset.index] ?? NONE)
    .filter((base) => base !== NONE);
  const balances = state.ledger.totals(asset.index, bases);
  let sum = 0n;
  const totals: Record<string, string> = {};
  for (const name of [...USER_ACCOUNTS, ...HOUSE_ACCOUNTS]) {
    sum += balances[name];
    totals[name] = formatDecimal(balances[name], asset.scale);
  }
  if (sum !== 0n) violations.push(`${asset.asset}: the ledger's accounts sum to ${sum}, not 0`);
  return totals;
}

/**
 * No balance is negative, and what is frozen is exactly what open orders and withdrawals reserve.
 * How far below zero unrealised profit lets contract cash go is checked with the contracts.
 */
function checkUser(
  state: State,
  user: User,
  withdrawn: ReadonlyMap<string, bigint>,
  violations: string[],
): void {
  const reserved = new Map<number, bigint>();
  for (const slot of openOrderSlots(state, user.uid, null)) {
    const { orders } = state;
    const market = state.spotMarkets[orders.market(slot)];
    if (market === undefined) {
      violations.push(`order ${orders.orderId(slot)}: its market does not exist`);
      continue;
    }
    const side = orders.side(slot);
    const asset = side === BUY ? market.rules.quoteAsset.index : market.rules.baseAsset.index;
    const priceTicks = orders.priceTicks(slot);
    const restMinor = frozenByRestMinor(market, side, priceTicks, orders.openLots(slot));
    reserved.set(asset, (reserved.get(asset) ?? 0n) + restMinor);
  }
  for (const asset of state.assets) {
    for (const [kind, name] of USER_ACCOUNTS.entries()) {
      if (kind === CONTRACT_AVAILABLE) continue;
      if (userBalance(state, user, asset.index, kind) < 0n) {
        violations.push(`user ${user.uid}: ${name} of ${asset.asset} is negative`);
      }
    }
    const frozenMinor = userBalance(state, user, asset.index, SPOT_FROZEN);
    const withdrawnMinor = withdrawn.get(countKey(user.uid, asset.index)) ?? 0n;
    const reservedMinor = (reserved.get(asset.index) ?? 0n) + withdrawnMinor;
    if (frozenMinor !== reservedMinor) {
      violations.push(
        `user ${user.uid}, ${asset.asset}: ${frozenMinor} frozen, ${reservedMinor} reserved`,
      );
    }
  }
}

function checkBooks(state: State, violations: string[]): void {
  let inBooks = 0;
  for (const market of state.spotMarkets) {
    inBooks += market.book.orderCount;
    if (market.book.isCrossed()) violations.push(`${market.symbol}: the book is crossed`);
    try {
      market.book.validate();
    } catch (fault) {
      violations.push(`${market.symbol}: ${fault instanceof Error ? fault.message : fault}`);
    }
  }
  if (inBooks !== state.orders.size) {
    violations.push(`${state.orders.size} open orders, but ${inBooks} in the books`);
  }
}
