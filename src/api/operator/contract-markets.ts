/** Contract markets: their rules and whether they trade. The names are those of exchangeInfo. */
import { Type } from "typebox";
import {
  Amount,
  AssetName,
  Count,
  Fields,
  MarketState,
  MarketSymbol,
  Nullable,
  PageAfterName,
  PageOf,
  SignedRate,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Contract markets";

const OneMarket = Fields({ symbol: MarketSymbol });

const Tiers = Type.Array(
  Fields({ maxNotional: Amount, maintenanceMarginRate: Amount, maxLeverage: Count }),
  { description: "tiers by ascending maxNotional" },
);

const REQUIRED = {
  baseAsset: AssetName,
  quoteAsset: AssetName,
  tickSize: Amount,
  stepSize: Amount,
  tiers: Tiers,
};

const OPTIONAL = {
  marginAsset: AssetName,
  pricePrecision: Count,
  quantityPrecision: Count,
  contractVal: Amount,
  minOrderSize: Amount,
  maxOrderSize: Amount,
  maxPositionSize: Amount,
  marketOpenLimitSize: Amount,
  minLeverage: Count,
  maxLeverage: Count,
  defaultLeverage: Count,
  buyLimitPriceRatio: Amount,
  sellLimitPriceRatio: Amount,
  makerFeeRate: Amount,
  takerFeeRate: Amount,
  liquidateFeeRate: Amount,
  interestRate: SignedRate,
  fundingInnerClamp: Amount,
  fundingRateCap: Amount,
  fundingBufferRate: Amount,
  impactNotional: Amount,
  fundingIntervalMinutes: Count,
  indexStaleMs: Count,
  maxOpenOrders: Count,
  state: MarketState,
  insuranceSlippage: Amount,
  insuranceDrawLimit: Nullable(Amount),
  indexStepLimit: Amount,
};

const Market = Fields({
  symbol: MarketSymbol,
  ...REQUIRED,
  ...OPTIONAL,
  indexSource: Type.String({
    description: '"operator", "spot:" and the symbol of the spot market, or "none"',
  }),
  indexAgeMs: Nullable(Count),
});

const MarketRequest = Fields({ ...REQUIRED, ...Type.Partial(Type.Object(OPTIONAL)).properties });

export const setContractMarket = operatorRoute("setContractMarket", {
  tag: TAG,
  summary:
    "List a contract market or change its rules. Only assets, tick, step and tiers are needed: " +
    "the rest has defaults in a new market and stays as it is in one that exists. With " +
    "--sandbox the default of indexStaleMs is 0, which is never",
  params: OneMarket,
  body: MarketRequest,
  answer: Market,
});

export const setContractMarketState = operatorRoute("setContractMarketState", {
  tag: TAG,
  summary: "Let a contract market trade, take cancels only, or halt it",
  params: OneMarket,
  body: Fields({ state: MarketState }),
  answer: Market,
});

export const listContractMarkets = operatorRoute("listContractMarkets", {
  tag: TAG,
  summary: "All contract markets, in order of symbol",
  query: PageAfterName,
  answer: PageOf(Market, MarketSymbol),
});

export const getContractMarket = operatorRoute("getContractMarket", {
  tag: TAG,
  summary: "One contract market",
  params: OneMarket,
  answer: Market,
});
