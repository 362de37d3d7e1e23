/** Queries about the rules of withdrawals and address books; amounts are decimal text. */

import type { WithdrawalState } from "../domain/index.ts";

export type WithdrawalQuery =
  /** In order of coin id; only assets with rules. */
  | { readonly type: "withdrawal-rules" }
  | { readonly type: "withdrawal-addresses"; readonly uid: number }
  /** How many wait in each state, and since when the oldest does. */
  | { readonly type: "open-withdrawals" };

export interface WithdrawalRulesView {
  readonly asset: string;
  readonly enabled: boolean;
  readonly minAmount: string;
  readonly fee: string;
  /** Per user and UTC day; null for no limit. */
  readonly dailyLimit: string | null;
  readonly addressHoldMs: number;
  readonly keyHoldMs: number;
}

export interface WithdrawalAddressView {
  readonly addressId: number;
  readonly uid: number;
  readonly asset: string;
  readonly network: string;
  readonly address: string;
  readonly memo: string;
  readonly label: string;
  readonly addedMs: number;
  /** From when on it can be used, under the rules of now. */
  readonly usableFromMs: number;
}

export interface OpenWithdrawalsView {
  readonly state: WithdrawalState;
  readonly count: number;
  /** When the one that waits longest came into the state; null without any. */
  readonly oldestMs: number | null;
}

export interface WithdrawalQueryAnswers {
  /** For requested, approved and sent. */
  "open-withdrawals": readonly OpenWithdrawalsView[];
  "withdrawal-rules": readonly WithdrawalRulesView[];
  /** Oldest first. */
  "withdrawal-addresses": readonly WithdrawalAddressView[];
}
