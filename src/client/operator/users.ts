/**
 * Users: calls of the operator plane. Made from the operator plane's own table of calls, to
 * which a test holds it.
 */
import type { CallOptions } from "../http-calls.ts";
import { OperatorCalls } from "./operator-calls.ts";

export type RegisterUserInput = {
  readonly uid?: number;
  readonly inviteCode?: string;
  readonly kyc?: boolean;
};

export type RegisterUserAnswer = { readonly uid: number; readonly inviteCode: string };

export type GetUserInput = { readonly uid: number };

export type GetUserAnswer = {
  readonly uid: number;
  readonly inviteCode: string;
  readonly inviterUid: number | null;
  readonly kyc: boolean;
  readonly state: "active" | "frozen";
  readonly house: boolean;
  readonly selfTradePrevention: "NONE" | "EXPIRE_TAKER" | "EXPIRE_MAKER" | "EXPIRE_BOTH";
  readonly registeredAt: number;
};

export type UpdateUserInput = {
  readonly uid: number;
  readonly kyc?: boolean;
  readonly state?: "active" | "frozen";
  readonly house?: boolean;
  readonly selfTradePrevention?: "NONE" | "EXPIRE_TAKER" | "EXPIRE_MAKER" | "EXPIRE_BOTH";
};

export type UpdateUserAnswer = GetUserAnswer;

export type GetBalancesInput = { readonly uid: number };

export type GetBalancesAnswer = {
  readonly spot: readonly {
    readonly asset: string;
    readonly available: string;
    readonly frozen: string;
    readonly equity: string;
  }[];
  readonly contract: readonly {
    readonly asset: string;
    readonly available: string;
    readonly orderMargin: string;
    readonly positionMargin: string;
    readonly balance: string;
  }[];
};

export type SetFeeRatesInput = {
  readonly uid: number;
  readonly product: "spot" | "contract";
  readonly symbol?: string;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
};

export type SetFeeRatesAnswer = {
  readonly product: "spot" | "contract";
  readonly symbol: string | null;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
};

export type GetFeeRatesInput = { readonly uid: number };

export type GetFeeRatesAnswer = { readonly items: readonly SetFeeRatesAnswer[] };

export type ListUsersInput = { readonly after?: number; readonly limit?: number };

export type ListUsersAnswer = {
  readonly items: readonly GetUserAnswer[];
  readonly next: number | null;
};

export abstract class UsersCalls extends OperatorCalls {
  /** Register a user, perhaps as the invitee of the owner of an invite code. */
  registerUser(input: RegisterUserInput = {}, options?: CallOptions): Promise<RegisterUserAnswer> {
    return this.call("POST", "/operator/v1/users", input, options);
  }

  /** All users, in order of uid. */
  listUsers(input: ListUsersInput = {}, options?: CallOptions): Promise<ListUsersAnswer> {
    return this.call("GET", "/operator/v1/users", input, options);
  }

  /** One user. */
  getUser(input: GetUserInput, options?: CallOptions): Promise<GetUserAnswer> {
    return this.call("GET", "/operator/v1/users/{uid}", input, options);
  }

  /** Change a user's state and settings; what is not given stays. */
  updateUser(input: UpdateUserInput, options?: CallOptions): Promise<UpdateUserAnswer> {
    return this.call("PATCH", "/operator/v1/users/{uid}", input, options);
  }

  /**
   * A user's spot balances of every listed asset, and contract balances of every margin asset.
   */
  getBalances(input: GetBalancesInput, options?: CallOptions): Promise<GetBalancesAnswer> {
    return this.call("GET", "/operator/v1/users/{uid}/balances", input, options);
  }

  /** A user's own fee rates for a product or one symbol, for orders placed afterwards. */
  setFeeRates(input: SetFeeRatesInput, options?: CallOptions): Promise<SetFeeRatesAnswer> {
    return this.call("PUT", "/operator/v1/users/{uid}/fee-rates", input, options);
  }

  /** A user's own fee rates; an empty list means those of the markets. */
  getFeeRates(input: GetFeeRatesInput, options?: CallOptions): Promise<GetFeeRatesAnswer> {
    return this.call("GET", "/operator/v1/users/{uid}/fee-rates", input, options);
  }
}
