/**
 * Prices: calls of the operator plane. Made from the operator plane's own table of calls, to
 * which a test holds it.
 */
import type { CallOptions } from "../http-calls.ts";
import { ContractMarketsCalls } from "./contract-markets.ts";

export type SetIndexPriceInput = {
  readonly symbol: string;
  readonly price: string;
  readonly force?: boolean;
};

export type SetIndexPriceAnswer = {
  readonly symbol: string;
  readonly price: string;
  readonly time: number;
  readonly isStale: boolean;
};

export type GetIndexPriceInput = { readonly symbol: string };

export type GetIndexPriceAnswer = SetIndexPriceAnswer;

export type ListIndexPricesInput = { readonly after?: string; readonly limit?: number };

export type ListIndexPricesAnswer = {
  readonly items: readonly SetIndexPriceAnswer[];
  readonly next: string | null;
};

export abstract class PricesCalls extends ContractMarketsCalls {
  /**
   * Set the index of a contract, rounded to its tick. From the first one on the index is no
   * longer derived from the spot market. Further from the last one than indexStepLimit a price is
   * refused without force, except by a stale index. Triggers and liquidations are done before the
   * answer.
   */
  setIndexPrice(input: SetIndexPriceInput, options?: CallOptions): Promise<SetIndexPriceAnswer> {
    return this.call("PUT", "/operator/v1/index-prices/{symbol}", input, options);
  }

  /** The index of one contract; liquidations wait while it is stale. */
  getIndexPrice(input: GetIndexPriceInput, options?: CallOptions): Promise<GetIndexPriceAnswer> {
    return this.call("GET", "/operator/v1/index-prices/{symbol}", input, options);
  }

  /** The index of every contract, in order of symbol. */
  listIndexPrices(
    input: ListIndexPricesInput = {},
    options?: CallOptions,
  ): Promise<ListIndexPricesAnswer> {
    return this.call("GET", "/operator/v1/index-prices", input, options);
  }
}
