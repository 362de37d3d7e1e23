/**
 * Sandbox: calls of the operator plane. Made from the operator plane's own table of calls, to
 * which a test holds it.
 */
import type { CallOptions } from "../http-calls.ts";
import { PricesCalls } from "./prices.ts";

export type PinMarkPriceInput = { readonly symbol: string; readonly price: string | null };

export type PinMarkPriceAnswer = {
  readonly symbol: string;
  readonly price: string | null;
  readonly markPrice: string;
};

export type GetMarkPriceInput = { readonly symbol: string };

export type GetMarkPriceAnswer = {
  readonly symbol: string;
  readonly price: string | null;
  readonly markPrice: string;
};

export type AdvanceClockInput = { readonly ms: number };

export type AdvanceClockAnswer = { readonly time: number; readonly offsetMs: number };

export type GetClockAnswer = { readonly time: number; readonly offsetMs: number };

export type ListMarkPricesInput = { readonly after?: string; readonly limit?: number };

export type ListMarkPricesAnswer = {
  readonly items: readonly {
    readonly symbol: string;
    readonly price: string | null;
    readonly markPrice: string;
  }[];
  readonly next: string | null;
};

export abstract class SandboxCalls extends PricesCalls {
  /**
   * Hold the mark of a contract at a price, until null lets it go. Triggers and liquidations are
   * done before the answer. Only with --sandbox; refused with 409 otherwise.
   */
  pinMarkPrice(input: PinMarkPriceInput, options?: CallOptions): Promise<PinMarkPriceAnswer> {
    return this.call("PUT", "/operator/v1/sandbox/mark-prices/{symbol}", input, options);
  }

  /**
   * The price at which the mark of a contract is held, null when it follows its rule. Only with
   * --sandbox; refused with 409 otherwise.
   */
  getMarkPrice(input: GetMarkPriceInput, options?: CallOptions): Promise<GetMarkPriceAnswer> {
    return this.call("GET", "/operator/v1/sandbox/mark-prices/{symbol}", input, options);
  }

  /**
   * The mark of every contract and whether it is held, in order of symbol. Only with --sandbox;
   * refused with 409 otherwise.
   */
  listMarkPrices(
    input: ListMarkPricesInput = {},
    options?: CallOptions,
  ): Promise<ListMarkPricesAnswer> {
    return this.call("GET", "/operator/v1/sandbox/mark-prices", input, options);
  }

  /**
   * Exchange time jumps ahead, what is due happens, and real time goes on from there. Only with
   * --sandbox; refused with 409 otherwise.
   */
  advanceClock(input: AdvanceClockInput, options?: CallOptions): Promise<AdvanceClockAnswer> {
    return this.call("POST", "/operator/v1/sandbox/clock/advance", input, options);
  }

  /**
   * Exchange time, and how far it is ahead of the wall clock. Only with --sandbox; refused with
   * 409 otherwise.
   */
  getClock(options?: CallOptions): Promise<GetClockAnswer> {
    return this.call("GET", "/operator/v1/sandbox/clock", {}, options);
  }
}
