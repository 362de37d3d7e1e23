/**
 * Contract markets: calls of the operator plane. Made from the operator plane's own table of
 * calls, to which a test holds it.
 */
import type { CallOptions } from "../http-calls.ts";
import { SpotMarketsCalls } from "./spot-markets.ts";

export type SetContractMarketInput = {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly tickSize: string;
  readonly stepSize: string;
  readonly tiers: readonly {
    readonly maxNotional: string;
    readonly maintenanceMarginRate: string;
    readonly maxLeverage: number;
  }[];
  readonly marginAsset?: string;
  readonly pricePrecision?: number;
  readonly quantityPrecision?: number;
  readonly contractVal?: string;
  readonly minOrderSize?: string;
  readonly maxOrderSize?: string;
  readonly maxPositionSize?: string;
  readonly marketOpenLimitSize?: string;
  readonly minLeverage?: number;
  readonly maxLeverage?: number;
  readonly defaultLeverage?: number;
  readonly buyLimitPriceRatio?: string;
  readonly sellLimitPriceRatio?: string;
  readonly makerFeeRate?: string;
  readonly takerFeeRate?: string;
  readonly liquidateFeeRate?: string;
  readonly interestRate?: string;
  readonly fundingInnerClamp?: string;
  readonly fundingRateCap?: string;
  readonly fundingBufferRate?: string;
  readonly impactNotional?: string;
  readonly fundingIntervalMinutes?: number;
  readonly indexStaleMs?: number;
  readonly maxOpenOrders?: number;
  readonly state?: "trading" | "cancel-only" | "halted";
  readonly insuranceSlippage?: string;
  readonly insuranceDrawLimit?: string | null;
  readonly indexStepLimit?: string;
};

export type SetContractMarketAnswer = {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly tickSize: string;
  readonly stepSize: string;
  readonly tiers: readonly {
    readonly maxNotional: string;
    readonly maintenanceMarginRate: string;
    readonly maxLeverage: number;
  }[];
  readonly marginAsset: string;
  readonly pricePrecision: number;
  readonly quantityPrecision: number;
  readonly contractVal: string;
  readonly minOrderSize: string;
  readonly maxOrderSize: string;
  readonly maxPositionSize: string;
  readonly marketOpenLimitSize: string;
  readonly minLeverage: number;
  readonly maxLeverage: number;
  readonly defaultLeverage: number;
  readonly buyLimitPriceRatio: string;
  readonly sellLimitPriceRatio: string;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
  readonly liquidateFeeRate: string;
  readonly interestRate: string;
  readonly fundingInnerClamp: string;
  readonly fundingRateCap: string;
  readonly fundingBufferRate: string;
  readonly impactNotional: string;
  readonly fundingIntervalMinutes: number;
  readonly indexStaleMs: number;
  readonly maxOpenOrders: number;
  readonly state: "trading" | "cancel-only" | "halted";
  readonly insuranceSlippage: string;
  readonly insuranceDrawLimit: string | null;
  readonly indexStepLimit: string;
  readonly indexSource: string;
  readonly indexAgeMs: number | null;
};

export type SetContractMarketStateInput = {
  readonly symbol: string;
  readonly state: "trading" | "cancel-only" | "halted";
};

export type SetContractMarketStateAnswer = SetContractMarketAnswer;

export type GetContractMarketInput = { readonly symbol: string };

export type GetContractMarketAnswer = SetContractMarketAnswer;

export type ListContractMarketsInput = { readonly after?: string; readonly limit?: number };

export type ListContractMarketsAnswer = {
  readonly items: readonly SetContractMarketAnswer[];
  readonly next: string | null;
};

export abstract class ContractMarketsCalls extends SpotMarketsCalls {
  /**
   * List a contract market or change its rules. Only assets, tick, step and tiers are needed: the
   * rest has defaults in a new market and stays as it is in one that exists. With --sandbox the
   * default of indexStaleMs is 0, which is never.
   */
  setContractMarket(
    input: SetContractMarketInput,
    options?: CallOptions,
  ): Promise<SetContractMarketAnswer> {
    return this.call("PUT", "/operator/v1/markets/contract/{symbol}", input, options);
  }

  /** Let a contract market trade, take cancels only, or halt it. */
  setContractMarketState(
    input: SetContractMarketStateInput,
    options?: CallOptions,
  ): Promise<SetContractMarketStateAnswer> {
    return this.call("PATCH", "/operator/v1/markets/contract/{symbol}", input, options);
  }

  /** One contract market. */
  getContractMarket(
    input: GetContractMarketInput,
    options?: CallOptions,
  ): Promise<GetContractMarketAnswer> {
    return this.call("GET", "/operator/v1/markets/contract/{symbol}", input, options);
  }

  /** All contract markets, in order of symbol. */
  listContractMarkets(
    input: ListContractMarketsInput = {},
    options?: CallOptions,
  ): Promise<ListContractMarketsAnswer> {
    return this.call("GET", "/operator/v1/markets/contract", input, options);
  }
}
