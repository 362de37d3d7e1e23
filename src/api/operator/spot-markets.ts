/** Spot markets: their rules and whether they trade. */
import { Type } from "typebox";
import {
  Amount,
  AssetName,
  Count,
  Fields,
  MarketState,
  MarketSymbol,
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
    "List a spot market or change its rules. Only assets, tick and step are needed: the rest " +
    "has defaults in a new market and stays as it is in one that exists",
  params: OneMarket,
  body: MarketRequest,
  answer: Market,
});

export const setSpotMarketState = operatorRoute("setSpotMarketState", {
  tag: TAG,
  summary: "Let a spot market trade, take cancels only, or halt it",
  params: OneMarket,
  body: Fields({ state: MarketState }),
  answer: Market,
});

export const listSpotMarkets = operatorRoute("listSpotMarkets", {
  tag: TAG,
  summary: "All spot markets, in order of symbol",
  query: PageAfterName,
  answer: PageOf(Market, MarketSymbol),
});

export const getSpotMarket = operatorRoute("getSpotMarket", {
  tag: TAG,
  summary: "One spot market",
  params: OneMarket,
  answer: Market,
});
