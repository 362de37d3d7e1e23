/**
 * Funds: calls of the operator plane. Made from the operator plane's own table of calls, to
 * which a test holds it.
 */
import type { CallOptions } from "../http-calls.ts";
import { ApiKeysCalls } from "./api-keys.ts";

export type MakeDepositInput = {
  readonly uid: number;
  readonly id: string;
  readonly account: "spot" | "contract";
  readonly asset: string;
  readonly amount: string;
};

export type MakeDepositAnswer = { readonly id: string; readonly balance: string };

export type GetDepositInput = { readonly uid: number; readonly id: string };

export type GetDepositAnswer = {
  readonly id: string;
  readonly account: "spot" | "contract";
  readonly asset: string;
  readonly amount: string;
  readonly balance: string;
  readonly time: number;
};

export type MakeWithdrawalInput = MakeDepositInput;

export type MakeWithdrawalAnswer = { readonly id: string; readonly balance: string };

export type GetWithdrawalInput = { readonly uid: number; readonly id: string };

export type GetWithdrawalAnswer = GetDepositAnswer;

export type MakeTransferInput = {
  readonly uid: number;
  readonly id: string;
  readonly from: "spot" | "contract";
  readonly to: "spot" | "contract";
  readonly asset: string;
  readonly amount: string;
};

export type MakeTransferAnswer = { readonly id: string; readonly balance: string };

export type GetTransferInput = { readonly uid: number; readonly id: string };

export type GetTransferAnswer = {
  readonly id: string;
  readonly from: "spot" | "contract";
  readonly to: "spot" | "contract";
  readonly asset: string;
  readonly amount: string;
  readonly balance: string;
  readonly time: number;
};

export type ListDepositsInput = {
  readonly uid: number;
  readonly after?: number;
  readonly limit?: number;
};

export type ListDepositsAnswer = {
  readonly items: readonly {
    readonly id: string;
    readonly account: "spot" | "contract";
    readonly asset: string;
    readonly amount: string;
    readonly time: number;
  }[];
  readonly next: number | null;
};

export type ListWithdrawalsInput = {
  readonly uid: number;
  readonly after?: number;
  readonly limit?: number;
};

export type ListWithdrawalsAnswer = {
  readonly items: readonly {
    readonly id: string;
    readonly account: "spot" | "contract";
    readonly asset: string;
    readonly amount: string;
    readonly time: number;
  }[];
  readonly next: number | null;
};

export type ListTransfersInput = {
  readonly uid: number;
  readonly after?: number;
  readonly limit?: number;
};

export type ListTransfersAnswer = {
  readonly items: readonly {
    readonly id: string;
    readonly from: "spot" | "contract";
    readonly to: "spot" | "contract";
    readonly asset: string;
    readonly amount: string;
    readonly time: number;
  }[];
  readonly next: number | null;
};

export abstract class FundsCalls extends ApiKeysCalls {
  /** Make a deposit; a repeated id gets the first answer again. */
  makeDeposit(input: MakeDepositInput, options?: CallOptions): Promise<MakeDepositAnswer> {
    return this.call("POST", "/operator/v1/users/{uid}/deposits", input, options);
  }

  /** A user's deposits, oldest first. */
  listDeposits(input: ListDepositsInput, options?: CallOptions): Promise<ListDepositsAnswer> {
    return this.call("GET", "/operator/v1/users/{uid}/deposits", input, options);
  }

  /** One deposit by its id, with the balance of its answer. */
  getDeposit(input: GetDepositInput, options?: CallOptions): Promise<GetDepositAnswer> {
    return this.call("GET", "/operator/v1/users/{uid}/deposits/{id}", input, options);
  }

  /** Make a withdrawal; a repeated id gets the first answer again. */
  makeWithdrawal(input: MakeWithdrawalInput, options?: CallOptions): Promise<MakeWithdrawalAnswer> {
    return this.call("POST", "/operator/v1/users/{uid}/withdrawals", input, options);
  }

  /** A user's withdrawals, oldest first. */
  listWithdrawals(
    input: ListWithdrawalsInput,
    options?: CallOptions,
  ): Promise<ListWithdrawalsAnswer> {
    return this.call("GET", "/operator/v1/users/{uid}/withdrawals", input, options);
  }

  /** One withdrawal by its id, with the balance of its answer. */
  getWithdrawal(input: GetWithdrawalInput, options?: CallOptions): Promise<GetWithdrawalAnswer> {
    return this.call("GET", "/operator/v1/users/{uid}/withdrawals/{id}", input, options);
  }

  /** Move funds between a user's accounts; a repeated id gets the first answer again. */
  makeTransfer(input: MakeTransferInput, options?: CallOptions): Promise<MakeTransferAnswer> {
    return this.call("POST", "/operator/v1/users/{uid}/transfers", input, options);
  }

  /** A user's transfers, oldest first. */
  listTransfers(input: ListTransfersInput, options?: CallOptions): Promise<ListTransfersAnswer> {
    return this.call("GET", "/operator/v1/users/{uid}/transfers", input, options);
  }

  /** One transfer by its id, with the balance of its answer. */
  getTransfer(input: GetTransferInput, options?: CallOptions): Promise<GetTransferAnswer> {
    return this.call("GET", "/operator/v1/users/{uid}/transfers/{id}", input, options);
  }
}
