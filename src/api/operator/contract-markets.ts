/** Contract markets: rules and state. Field names are those of exchangeInfo. */
import { Type } from "typebox";
import {
  Amount,
  AssetName,
  Count,
  Fields,
  MarketState,
  MarketSymbol,
  Nullable,
  OptionalReason,
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
    "List a contract market or change its rules. Only assets, tick, step and tiers are " +
    "required: other fields have defaults in a new market and keep their values in an existing " +
    "one. With --sandbox the default of indexStaleMs is 0: the index is never stale",
  params: OneMarket,
  body: MarketRequest,
  answer: Market,
});

export const setContractMarketState = operatorRoute("setContractMarketState", {
  tag: TAG,
  summary: "Set a contract market to trading, cancel-only or halted; the reason is audited",
  params: OneMarket,
  body: Fields({ state: MarketState, reason: OptionalReason }),
  answer: Market,
});

export const listContractMarkets = operatorRoute("listContractMarkets", {
  tag: TAG,
  summary: "List contract markets by symbol",
  query: PageAfterName,
  answer: PageOf(Market, MarketSymbol),
});

export const getContractMarket = operatorRoute("getContractMarket", {
  tag: TAG,
  summary: "Get a contract market",
  params: OneMarket,
  answer: Market,
});
