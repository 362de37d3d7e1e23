/**
 * Risk: calls of the operator plane. Made from the operator plane's own table of calls, to
 * which a test holds it.
 */
import type { CallOptions } from "../http-calls.ts";
import { InsuranceCalls } from "./insurance.ts";

export type ListOpenInterestInput = { readonly after?: string; readonly limit?: number };

export type ListOpenInterestAnswer = {
  readonly items: readonly {
    readonly symbol: string;
    readonly openInterest: string;
    readonly markPrice: string;
    readonly indexPrice: string;
    readonly isStale: boolean;
  }[];
  readonly next: string | null;
};

export type ListPositionsInput = { readonly symbol?: string; readonly limit?: number };

export type ListPositionsAnswer = {
  readonly items: readonly {
    readonly id: number;
    readonly uid: number;
    readonly symbol: string;
    readonly side: "LONG" | "SHORT";
    readonly marginType: "CROSSED" | "ISOLATED";
    readonly leverage: number;
    readonly size: string;
    readonly marginAsset: string;
    readonly value: string;
    readonly unrealizePnl: string;
    readonly markPrice: string;
    readonly liquidatePrice: string;
    readonly distance: string | null;
  }[];
};

export abstract class RiskCalls extends InsuranceCalls {
  /** What is open in every contract market, in order of symbol. */
  listOpenInterest(
    input: ListOpenInterestInput = {},
    options?: CallOptions,
  ): Promise<ListOpenInterestAnswer> {
    return this.call("GET", "/operator/v1/open-interest", input, options);
  }

  /**
   * Open positions of all users, in one market or all, nearest to liquidation first; those that
   * no price liquidates last.
   */
  listPositions(
    input: ListPositionsInput = {},
    options?: CallOptions,
  ): Promise<ListPositionsAnswer> {
    return this.call("GET", "/operator/v1/positions", input, options);
  }
}
