/** The full check of withdrawals: what they keep frozen, and in which state they are. */
import type { State } from "../state.ts";
import { countKey, dayOf, isEnded, stateOf, type Withdrawal } from "./withdrawal-state.ts";

/** What the open withdrawals keep frozen in the spot wallets, by user and asset index. */
export function frozenByWithdrawals({ withdrawals }: State): Map<string, bigint> {
  const frozen = new Map<string, bigint>();
  for (const { uid, assetIndex, amountMinor } of withdrawals.open.values()) {
    const key = countKey(uid, assetIndex);
    frozen.set(key, (frozen.get(key) ?? 0n) + amountMinor);
  }
  return frozen;
}

/** Adds a sentence for everything that does not hold. */
export function checkWithdrawals(state: State, violations: string[]): void {
  const { withdrawals } = state;
  const counted = new Map<string, bigint>();
  const check = (withdrawal: Withdrawal, mustBeEnded: boolean): void => {
    const { withdrawalId, uid, assetIndex, amountMinor, feeMinor, steps } = withdrawal;
    const name = `withdrawal ${withdrawalId}`;
    const now = stateOf(withdrawal);
    if (isEnded(withdrawal) !== mustBeEnded) violations.push(`${name} is ${now} in the wrong list`);
    if (feeMinor >= amountMinor) violations.push(`${name}: the fee takes all of it`);
    if (now === "rejected" || now === "failed") return;
    if (dayOf(steps[0]?.timestampMs ?? 0) !== withdrawals.countedDay) return;
    const key = countKey(uid, assetIndex);
    counted.set(key, (counted.get(key) ?? 0n) + amountMinor);
  };
  for (const withdrawal of withdrawals.open.values()) check(withdrawal, false);
  for (const withdrawal of withdrawals.ended.values()) check(withdrawal, true);
  for (const [key, minor] of counted) {
    // More when withdrawals of the day were forgotten.
    const countedMinor = withdrawals.requestedMinor.get(key) ?? 0n;
    if (countedMinor < minor)
      violations.push(`${key}: ${countedMinor} counted, ${minor} requested`);
  }
}
