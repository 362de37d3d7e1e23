/**
 * Spot markets: calls of the operator plane. Made from the operator plane's own table of calls,
 * to which a test holds it.
 */
import type { CallOptions } from "../http-calls.ts";
import { AssetsCalls } from "./assets.ts";

export type SetSpotMarketInput = {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly tickSize: string;
  readonly stepSize: string;
  readonly minTradeAmount?: string;
  readonly maxTradeAmount?: string;
  readonly minNotional?: string;
  readonly makerFeeRate?: string;
  readonly takerFeeRate?: string;
  readonly buyLimitPriceRatio?: string;
  readonly sellLimitPriceRatio?: string;
  readonly maxOpenOrders?: number;
  readonly state?: "trading" | "cancel-only" | "halted";
};

export type SetSpotMarketAnswer = {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly tickSize: string;
  readonly stepSize: string;
  readonly minTradeAmount: string;
  readonly maxTradeAmount: string;
  readonly minNotional: string;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
  readonly buyLimitPriceRatio: string;
  readonly sellLimitPriceRatio: string;
  readonly maxOpenOrders: number;
  readonly state: "trading" | "cancel-only" | "halted";
};

export type SetSpotMarketStateInput = {
  readonly symbol: string;
  readonly state: "trading" | "cancel-only" | "halted";
};

export type SetSpotMarketStateAnswer = SetSpotMarketAnswer;

export type GetSpotMarketInput = { readonly symbol: string };

export type GetSpotMarketAnswer = SetSpotMarketAnswer;

export type ListSpotMarketsInput = { readonly after?: string; readonly limit?: number };

export type ListSpotMarketsAnswer = {
  readonly items: readonly SetSpotMarketAnswer[];
  readonly next: string | null;
};

export abstract class SpotMarketsCalls extends AssetsCalls {
  /**
   * List a spot market or change its rules. Only assets, tick and step are needed: the rest has
   * defaults in a new market and stays as it is in one that exists.
   */
  setSpotMarket(input: SetSpotMarketInput, options?: CallOptions): Promise<SetSpotMarketAnswer> {
    return this.call("PUT", "/operator/v1/markets/spot/{symbol}", input, options);
  }

  /** Let a spot market trade, take cancels only, or halt it. */
  setSpotMarketState(
    input: SetSpotMarketStateInput,
    options?: CallOptions,
  ): Promise<SetSpotMarketStateAnswer> {
    return this.call("PATCH", "/operator/v1/markets/spot/{symbol}", input, options);
  }

  /** One spot market. */
  getSpotMarket(input: GetSpotMarketInput, options?: CallOptions): Promise<GetSpotMarketAnswer> {
    return this.call("GET", "/operator/v1/markets/spot/{symbol}", input, options);
  }

  /** All spot markets, in order of symbol. */
  listSpotMarkets(
    input: ListSpotMarketsInput = {},
    options?: CallOptions,
  ): Promise<ListSpotMarketsAnswer> {
    return this.call("GET", "/operator/v1/markets/spot", input, options);
  }
}
