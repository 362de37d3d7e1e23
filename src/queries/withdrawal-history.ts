/** Questions about withdrawals and reported deposits, and their answers. */
import type { DepositState, WithdrawalState } from "../domain/index.ts";

export interface WithdrawalEntry {
  readonly withdrawalId: number;
  readonly uid: number;
  readonly requestId: string;
  readonly asset: string;
  /** With the fee. */
  readonly amount: string;
  readonly fee: string;
  readonly addressId: number;
  readonly network: string;
  readonly address: string;
  readonly memo: string;
  readonly state: WithdrawalState;
  /** Of what was sent; "" before. */
  readonly reference: string;
  readonly requestedMs: number;
  readonly changedMs: number;
}

export interface WithdrawalStepEntry {
  readonly stepId: string;
  readonly state: WithdrawalState;
  /** "" for the user. */
  readonly actor: string;
  readonly note: string;
  readonly timeMs: number;
}

export interface DepositEntry {
  readonly depositId: number;
  readonly uid: number;
  readonly asset: string;
  readonly amount: string;
  readonly network: string;
  readonly transactionId: string;
  readonly outputIndex: number;
  readonly confirmations: number;
  readonly required: number;
  readonly state: DepositState;
  readonly firstMs: number;
  readonly changedMs: number;
}

export interface WithdrawalHistoryQueries {
  /** Those after one, oldest first; with `beforeDepositId` those before, newest first. */
  deposits: [
    {
      readonly uid: number | null;
      readonly state: DepositState | null;
      readonly afterDepositId: number;
      readonly beforeDepositId: number | null;
      readonly limit: number;
    },
    readonly DepositEntry[],
  ];
  deposit: [{ readonly depositId: number }, DepositEntry | null];
  /** Those after one, oldest first; with `beforeWithdrawalId` those before, newest first. */
  withdrawals: [
    {
      readonly uid: number | null;
      readonly state: WithdrawalState | null;
      readonly afterWithdrawalId: number;
      readonly beforeWithdrawalId: number | null;
      readonly limit: number;
    },
    readonly WithdrawalEntry[],
  ];
  /** With its steps, the request first. A `uid` asks for this user's alone. */
  withdrawal: [
    { readonly withdrawalId: number; readonly uid: number | null },
    (WithdrawalEntry & { readonly steps: readonly WithdrawalStepEntry[] }) | null,
  ];
}
