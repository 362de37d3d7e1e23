/**
 * The full check of affiliate invariants: what affiliates are owed against the ledger and the held
 * commissions, the time of the next settlement, and the shape of the tree.
 */
import { AFFILIATE_DEPTH_MAX } from "../../domain/index.ts";
import type { Asset, State } from "../state.ts";
import { type Affiliate, depthOf, NEVER_MS } from "./affiliate-state.ts";

/** Adds a sentence for everything that does not hold. */
export function checkAffiliates(state: State, violations: string[]): void {
  const { affiliates } = state;
  for (const asset of state.assets) checkHouse(state, asset, violations);
  const heldMinor = heldSums(state);
  let waiting = 0;
  for (const affiliate of affiliates.byUid.values()) {
    waiting += checkAffiliate(state, affiliate, heldMinor, violations);
  }
  for (const [of, sumMinor] of heldMinor) {
    if (sumMinor !== 0n) violations.push(`${of}: commissions are held that are in no balance`);
  }
  const { settlementDueMs } = affiliates;
  if (waiting !== affiliates.waiting.size || waiting > 0 !== settlementDueMs < NEVER_MS) {
    violations.push(`${waiting} balances wait for a settlement at ${settlementDueMs}`);
  }
}

function keyOf(affiliate: Affiliate, assetIndex: number): string {
  return `affiliate ${affiliate.user.uid}, asset ${assetIndex}`;
}

function heldSums({ affiliates }: State): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { affiliate, assetIndex, amountMinor } of affiliates.held.values()) {
    const key = keyOf(affiliate, assetIndex);
    sums.set(key, (sums.get(key) ?? 0n) + amountMinor);
  }
  return sums;
}

function checkHouse({ affiliates, ledger }: State, asset: Asset, violations: string[]): void {
  let sumMinor = 0n;
  for (const { balances } of affiliates.byUid.values()) {
    const balance = balances.get(asset.index);
    if (balance !== undefined) sumMinor += balance.payableMinor + balance.heldMinor;
  }
  const inLedgerMinor = ledger.balance(ledger.houseAccount(asset.index, "affiliate-payable"));
  const runningMinor = affiliates.outstandingMinor[asset.index] ?? 0n;
  if (sumMinor !== inLedgerMinor || sumMinor !== runningMinor) {
    violations.push(
      `${asset.asset}: affiliates have ${sumMinor} coming, the ledger says ${inLedgerMinor}, ` +
        `the running sum ${runningMinor}`,
    );
  }
}

/** Takes what the affiliate's held commissions account for; returns how many balances wait. */
function checkAffiliate(
  { affiliates }: State,
  affiliate: Affiliate,
  heldSumsMinor: Map<string, bigint>,
  violations: string[],
): number {
  const { user, balances } = affiliate;
  const depth = depthOf(affiliate);
  if (depth > AFFILIATE_DEPTH_MAX) violations.push(`affiliate ${user.uid}: at depth ${depth}`);
  let waiting = 0;
  for (const balance of balances.values()) {
    const { assetIndex, payableMinor, heldMinor, owedMinor } = balance;
    const key = keyOf(affiliate, assetIndex);
    if (payableMinor < 0n || heldMinor < 0n || owedMinor < 0n) {
      violations.push(`${key}: payable ${payableMinor}, held ${heldMinor}, owed ${owedMinor}`);
    }
    const sumMinor = heldSumsMinor.get(key) ?? 0n;
    if (heldMinor !== sumMinor) {
      violations.push(`${key}: ${heldMinor} is held, of commissions ${sumMinor}`);
    }
    heldSumsMinor.delete(key);
    if (payableMinor > 0n !== affiliates.waiting.has(balance)) {
      violations.push(`${key}: ${payableMinor} is payable, and the next settlement is wrong of it`);
    }
    if (payableMinor > 0n) waiting++;
  }
  return waiting;
}
