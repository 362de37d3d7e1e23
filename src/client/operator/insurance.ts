/**
 * Insurance: calls of the operator plane. Made from the operator plane's own table of calls, to
 * which a test holds it.
 */
import type { CallOptions } from "../http-calls.ts";
import { SandboxCalls } from "./sandbox.ts";

export type GetInsuranceInput = { readonly asset: string };

export type GetInsuranceAnswer = { readonly asset: string; readonly balance: string };

export type MakeInsuranceDepositInput = {
  readonly asset: string;
  readonly id: string;
  readonly amount: string;
};

export type MakeInsuranceDepositAnswer = { readonly id: string; readonly balance: string };

export type GetInsuranceDepositInput = { readonly asset: string; readonly id: string };

export type GetInsuranceDepositAnswer = {
  readonly id: string;
  readonly asset: string;
  readonly amount: string;
  readonly balance: string;
  readonly time: number;
};

export type MakeInsuranceWithdrawalInput = {
  readonly asset: string;
  readonly id: string;
  readonly amount: string;
};

export type MakeInsuranceWithdrawalAnswer = { readonly id: string; readonly balance: string };

export type GetInsuranceWithdrawalInput = { readonly asset: string; readonly id: string };

export type GetInsuranceWithdrawalAnswer = GetInsuranceDepositAnswer;

export type ListInsuranceDepositsInput = {
  readonly asset: string;
  readonly after?: number;
  readonly limit?: number;
};

export type ListInsuranceDepositsAnswer = {
  readonly items: readonly {
    readonly id: string;
    readonly asset: string;
    readonly amount: string;
    readonly time: number;
  }[];
  readonly next: number | null;
};

export type ListInsuranceWithdrawalsInput = {
  readonly asset: string;
  readonly after?: number;
  readonly limit?: number;
};

export type ListInsuranceWithdrawalsAnswer = {
  readonly items: readonly {
    readonly id: string;
    readonly asset: string;
    readonly amount: string;
    readonly time: number;
  }[];
  readonly next: number | null;
};

export abstract class InsuranceCalls extends SandboxCalls {
  /** The balance of an insurance fund. */
  getInsurance(input: GetInsuranceInput, options?: CallOptions): Promise<GetInsuranceAnswer> {
    return this.call("GET", "/operator/v1/insurance/{asset}", input, options);
  }

  /** Make a deposit of an insurance fund; a repeated id gets the first answer again. */
  makeInsuranceDeposit(
    input: MakeInsuranceDepositInput,
    options?: CallOptions,
  ): Promise<MakeInsuranceDepositAnswer> {
    return this.call("POST", "/operator/v1/insurance/{asset}/deposits", input, options);
  }

  /** The deposits of an insurance fund, oldest first. */
  listInsuranceDeposits(
    input: ListInsuranceDepositsInput,
    options?: CallOptions,
  ): Promise<ListInsuranceDepositsAnswer> {
    return this.call("GET", "/operator/v1/insurance/{asset}/deposits", input, options);
  }

  /** One deposit of an insurance fund by its id, with the balance of its answer. */
  getInsuranceDeposit(
    input: GetInsuranceDepositInput,
    options?: CallOptions,
  ): Promise<GetInsuranceDepositAnswer> {
    return this.call("GET", "/operator/v1/insurance/{asset}/deposits/{id}", input, options);
  }

  /** Make a withdrawal of an insurance fund; a repeated id gets the first answer again. */
  makeInsuranceWithdrawal(
    input: MakeInsuranceWithdrawalInput,
    options?: CallOptions,
  ): Promise<MakeInsuranceWithdrawalAnswer> {
    return this.call("POST", "/operator/v1/insurance/{asset}/withdrawals", input, options);
  }

  /** The withdrawals of an insurance fund, oldest first. */
  listInsuranceWithdrawals(
    input: ListInsuranceWithdrawalsInput,
    options?: CallOptions,
  ): Promise<ListInsuranceWithdrawalsAnswer> {
    return this.call("GET", "/operator/v1/insurance/{asset}/withdrawals", input, options);
  }

  /** One withdrawal of an insurance fund by its id, with the balance of its answer. */
  getInsuranceWithdrawal(
    input: GetInsuranceWithdrawalInput,
    options?: CallOptions,
  ): Promise<GetInsuranceWithdrawalAnswer> {
    return this.call("GET", "/operator/v1/insurance/{asset}/withdrawals/{id}", input, options);
  }
}
