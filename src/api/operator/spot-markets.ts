/** Spot markets: rules and state. Field names are those of exchangeInfo. */
import { Type } from "typebox";
import {
  Amount,
  AssetName,
  Count,
  Fields,
  MarketState,
  MarketSymbol,
  OptionalReason,
  PageAfterName,
  PageOf,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Spot markets";

const OneMarket = Fields({ symbol: MarketSymbol });

const REQUIRED = {
  baseAsset: AssetName,
  quoteAsset: AssetName,
  tickSize: Amount,
  stepSize: Amount,
};

const OPTIONAL = {
  minTradeAmount: Amount,
  maxTradeAmount: Amount,
  minNotional: Amount,
  makerFeeRate: Amount,
  takerFeeRate: Amount,
  buyLimitPriceRatio: Amount,
  sellLimitPriceRatio: Amount,
  maxOpenOrders: Count,
  state: MarketState,
};

const Market = Fields({ symbol: MarketSymbol, ...REQUIRED, ...OPTIONAL });

const MarketRequest = Fields({ ...REQUIRED, ...Type.Partial(Type.Object(OPTIONAL)).properties });

export const setSpotMarket = operatorRoute("setSpotMarket", {
  tag: TAG,
  summary:
    "List a spot market or change its rules. Only assets, tick and step are required: other " +
    "fields have defaults in a new market and keep their values in an existing one",
  params: OneMarket,
  body: MarketRequest,
  answer: Market,
});

export const setSpotMarketState = operatorRoute("setSpotMarketState", {
  tag: TAG,
  summary: "Set a spot market to trading, cancel-only or halted; the reason is audited",
  params: OneMarket,
  body: Fields({ state: MarketState, reason: OptionalReason }),
  answer: Market,
});

export const listSpotMarkets = operatorRoute("listSpotMarkets", {
  tag: TAG,
  summary: "List spot markets by symbol",
  query: PageAfterName,
  answer: PageOf(Market, MarketSymbol),
});

export const getSpotMarket = operatorRoute("getSpotMarket", {
  tag: TAG,
  summary: "Get a spot market",
  params: OneMarket,
  answer: Market,
});
