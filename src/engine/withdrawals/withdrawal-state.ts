/**
 * All state of withdrawals: one part of the exchange's state. Money of an open withdrawal is in the
 * frozen part of its user's spot wallet.
 */
import type { WithdrawalState as StateName } from "../../domain/index.ts";

/** Amounts in minor units of the asset. */
export interface WithdrawalRules {
  readonly enabled: boolean;
  readonly minAmountMinor: bigint;
  readonly feeMinor: bigint;
  readonly dailyLimitMinor: bigint | null;
  readonly addressHoldMs: number;
  readonly keyHoldMs: number;
}

export interface WithdrawalAddress {
  readonly addressId: number;
  readonly uid: number;
  readonly assetIndex: number;
  readonly network: string;
  readonly address: string;
  readonly memo: string;
  readonly label: string;
  readonly addedMs: number;
}

/** A step as it was asked for, so that a repetition gets the same answer. */
export interface WithdrawalStepRow {
  readonly requestId: string;
  readonly state: StateName;
  readonly note: string;
  readonly timestampMs: number;
}

export interface Withdrawal {
  readonly withdrawalId: number;
  readonly uid: number;
  /** The user's own request, not the operator's. */
  readonly isOwn: boolean;
  readonly assetIndex: number;
  /** With the fee. */
  readonly amountMinor: bigint;
  readonly feeMinor: bigint;
  /** Where to; the book may have lost the address since. */
  readonly addressId: number;
  readonly network: string;
  readonly address: string;
  readonly memo: string;
  /** The request first, then each step. */
  readonly steps: WithdrawalStepRow[];
}

/** Ended withdrawals are remembered for repeated commands; the oldest are forgotten first. */
const ENDED_WITHDRAWALS_MAX = 100_000;
export const OPEN_WITHDRAWALS_PER_USER_MAX = 100;
export const ADDRESSES_PER_USER_MAX = 100;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The UTC day of a moment, counted from 1970. */
export function dayOf(timestampMs: number): number {
  return Math.floor(timestampMs / DAY_MS);
}

export function stateOf({ steps }: Withdrawal): StateName {
  return steps.at(-1)?.state ?? "requested";
}

export function isEnded(withdrawal: Withdrawal): boolean {
  const state = stateOf(withdrawal);
  return state === "rejected" || state === "done" || state === "failed";
}

export class Withdrawals {
  nextWithdrawalId = 1;
  nextAddressId = 1;
  /** By asset index. */
  readonly rules = new Map<number, WithdrawalRules>();
  /** By user, then by id, oldest first; a user without addresses has no entry. */
  readonly addresses = new Map<number, Map<number, WithdrawalAddress>>();
  /** Open ones by id, oldest first. */
  readonly open = new Map<number, Withdrawal>();
  /** Ended ones by id, in the order in which they ended. */
  readonly ended = new Map<number, Withdrawal>();
  /** When a user's keys last changed, since there are rules. */
  readonly keysChangedMs = new Map<number, number>();
  /** What was requested on `countedDay`, by user and asset; not what came back since. */
  countedDay = 0;
  readonly requestedMinor = new Map<string, bigint>();
  readonly #byRequest = new Map<string, Withdrawal>();
  readonly #openCounts = new Map<number, number>();

  find(withdrawalId: number): Withdrawal | undefined {
    return this.open.get(withdrawalId) ?? this.ended.get(withdrawalId);
  }

  findRequest(uid: number, isOwn: boolean, requestId: string): Withdrawal | undefined {
    return this.#byRequest.get(requestKey(uid, isOwn, requestId));
  }

  openCount(uid: number): number {
    return this.#openCounts.get(uid) ?? 0;
  }

  add(withdrawal: Withdrawal): void {
    const { uid, isOwn, steps, withdrawalId } = withdrawal;
    this.#byRequest.set(requestKey(uid, isOwn, steps[0]?.requestId ?? ""), withdrawal);
    if (isEnded(withdrawal)) {
      this.ended.set(withdrawalId, withdrawal);
      return;
    }
    this.open.set(withdrawalId, withdrawal);
    this.#openCounts.set(uid, this.openCount(uid) + 1);
  }

  /** An open one has ended: from now on it is only remembered. */
  end(withdrawal: Withdrawal): void {
    const { uid, withdrawalId } = withdrawal;
    this.open.delete(withdrawalId);
    const count = this.openCount(uid) - 1;
    if (count === 0) this.#openCounts.delete(uid);
    else this.#openCounts.set(uid, count);
    if (this.ended.size >= ENDED_WITHDRAWALS_MAX) this.#forgetOldest();
    this.ended.set(withdrawalId, withdrawal);
  }

  #forgetOldest(): void {
    for (const [id, { uid, isOwn, steps }] of this.ended) {
      this.ended.delete(id);
      this.#byRequest.delete(requestKey(uid, isOwn, steps[0]?.requestId ?? ""));
      return;
    }
  }
}

/** The ids of users are separate from the operator's. */
function requestKey(uid: number, isOwn: boolean, requestId: string): string {
  return `${isOwn ? "own" : "operator"}|${uid}|${requestId}`;
}

/** The key of `requestedMinor`. */
export function countKey(uid: number, assetIndex: number): string {
  return `${uid}:${assetIndex}`;
}
