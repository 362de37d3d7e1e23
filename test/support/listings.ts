/** BTCUSDT as tests list it; a test that is about one of its rules overrides that rule. */
import type { CommandOf } from "../../src/protocol/index.ts";

export type SpotListing = Omit<CommandOf<"set-spot-market">, "type" | "actor">;
export type ContractListing = Omit<CommandOf<"set-contract-market">, "type" | "actor">;

/** Refuses nothing that is on the grid. */
export const BTC_SPOT: SpotListing = {
  symbol: "BTCUSDT",
  baseAsset: "BTC",
  quoteAsset: "USDT",
  tickSize: "0.1",
  stepSize: "0.001",
  minTradeAmount: "0.001",
  maxTradeAmount: "1000000",
  minNotional: "0",
  makerFeeRate: "0.001",
  takerFeeRate: "0.001",
  buyLimitPriceRatio: "1000",
  sellLimitPriceRatio: "0.99999999",
  maxOpenOrders: 100_000,
  state: "trading",
};

/** The worked example: tick 0.1, lot 0.001, fees 0.02 % and 0.08 %, two tiers. */
export const BTC_CONTRACT: ContractListing = {
  symbol: "BTCUSDT",
  baseAsset: "BTC",
  quoteAsset: "USDT",
  marginAsset: "USDT",
  tickSize: "0.1",
  stepSize: "0.001",
  pricePrecision: 1,
  quantityPrecision: 3,
  contractVal: "1",
  minOrderSize: "0.001",
  maxOrderSize: "1000",
  maxPositionSize: "5000",
  marketOpenLimitSize: "500",
  minLeverage: 1,
  maxLeverage: 100,
  defaultLeverage: 20,
  buyLimitPriceRatio: "0.05",
  sellLimitPriceRatio: "0.05",
  makerFeeRate: "0.0002",
  takerFeeRate: "0.0008",
  liquidateFeeRate: "0.01",
  interestRate: "0.0001",
  fundingInnerClamp: "0.0005",
  fundingRateCap: "0.0075",
  fundingBufferRate: "0.001",
  impactNotional: "10000",
  ...{ insuranceSlippage: "0.002", insuranceDrawLimit: null, indexStepLimit: "0.1" },
  fundingIntervalMinutes: 480,
  indexStaleMs: 60_000,
  maxOpenOrders: 200,
  tiers: [
    { maxNotional: "1000000", maintenanceMarginRate: "0.005", maxLeverage: 100 },
    { maxNotional: "5000000", maintenanceMarginRate: "0.01", maxLeverage: 50 },
  ],
  state: "trading",
};
