/** What is asked about rules of markets and about assets, and the answers of the naive exchange. */
import type { NaiveContractMarket } from "../models/contract/naive-contract-state.ts";
import type { NaiveMarket } from "../models/naive-spot-orders.ts";
import { greatest, text } from "../support/exact.ts";
import type { Random } from "../support/random.ts";
import { TWO_SYMBOLS } from "./markets.ts";
import { type Known, maybe, type Question, type Readings, sentOf } from "./questions.ts";
import { chosen, someSymbols } from "./symbol-choices.ts";

const DAY_MS = 86_400_000;

interface Traded {
  readonly symbol: string;
  readonly state: string;
}

function trading(markets: ReadonlyMap<string, Traded>): string[] {
  return [...markets.values()].flatMap(({ state, symbol }) => (state === "trading" ? symbol : []));
}

function rulesOf({ rules, state }: NaiveMarket) {
  const { tick } = rules;
  const most = text(rules.maxQuantity);
  return {
    tickSize: text(tick),
    stepSize: text(rules.step),
    minTradeAmount: text(rules.minQuantity),
    maxTradeAmount: most,
    takerFeeRate: text(rules.takerRate),
    makerFeeRate: text(rules.makerRate),
    buyLimitPriceRatio: text(rules.buyRatio),
    sellLimitPriceRatio: text(rules.sellRatio),
    marketBuyLimitSize: most,
    marketSellLimitSize: most,
    marketFallbackPriceRatio: text(greatest(rules.buyRatio, rules.sellRatio)),
    enableTrade: state === "trading",
    enableDisplay: true,
    displayDigitMerge: [1n, 10n, 100n, 1000n].map((factor) => text(tick * factor)).join(","),
    displayNew: false,
    displayHot: false,
    supportTracing: false,
    supportPlanMarket: false,
  };
}

function spotRules({ naive }: Known, random: Random): Question {
  const { sent, symbols } = someSymbols(random);
  const status = random.pick([undefined, "TRADING", "BREAK"]);
  const rows = chosen([...naive.markets.values()], symbols).map((market) => ({
    symbol: market.symbol,
    status: market.state === "trading" ? "TRADING" : "BREAK",
    baseAsset: market.rules.base.asset,
    baseAssetPrecision: market.rules.base.scale,
    quoteAsset: market.rules.quote.asset,
    quoteAssetPrecision: market.rules.quote.scale,
    minNotional: text(market.rules.minNotional),
    ...rulesOf(market),
  }));
  return {
    sent: { ...sent, ...sentOf({ symbolStatus: status }) },
    isOfNow: true,
    due: (_, nowMs) => ({
      timezone: "UTC",
      serverTime: nowMs,
      symbols: rows.filter((row) => status === undefined || row.status === status),
    }),
  };
}

function spotRulesOfV2({ naive }: Known, random: Random): Question {
  const { sent, symbols } = someSymbols(random, (symbol) => `${symbol}_SPBL`);
  return {
    sent,
    due: () =>
      chosen([...naive.markets.values()], symbols).map((market) => ({
        symbol: `${market.symbol}_SPBL`,
        baseCoin: market.rules.base.asset,
        quoteCoin: market.rules.quote.asset,
        ...rulesOf(market),
      })),
  };
}

const byCoinId = ({ naive }: Known) =>
  [...naive.assets.values()].sort((one, other) => one.coinId - other.coinId);

function coins(known: Known): Question {
  return {
    sent: {},
    due: () =>
      byCoinId(known).map(({ asset: coin, coinId, name }) => ({
        ...{ coin, coinId, name, depositAllEnable: false, withdrawAllEnable: false },
        networkList: [],
      })),
  };
}

function currencies(known: Known): Question {
  return {
    sent: {},
    due: () =>
      byCoinId(known).map(({ asset: coinName, coinId }) => {
        return { coinId: String(coinId), coinName, transfer: "true", chains: [] };
      }),
  };
}

/** Of one day. */
function fundingTimes(intervalMs: number): string[] {
  const times: string[] = [];
  for (let ms = 0; ms + intervalMs <= DAY_MS; ms += intervalMs) {
    times.push(new Date(ms).toISOString().slice(11, 19));
  }
  return times;
}

function contractRow({ rules, symbol }: NaiveContractMarket) {
  const { contractVal, pricePrecision, quantityPrecision } = rules;
  return {
    ...{ symbol, displaySymbol: symbol },
    baseAsset: rules.base.asset,
    quoteAsset: rules.quote.asset,
    marginAsset: rules.quote.asset,
    ...{ pricePrecision, quantityPrecision, baseAssetPrecision: quantityPrecision },
    quotePrecision: rules.quote.scale,
    contractVal,
    delivery: fundingTimes(rules.intervalMs),
    forwardContractFlag: true,
    minLeverage: rules.minLeverage,
    maxLeverage: rules.maxLeverage,
    buyLimitPriceRatio: text(rules.buyRatio),
    sellLimitPriceRatio: text(rules.sellRatio),
    makerFeeRate: text(rules.maker),
    takerFeeRate: text(rules.taker),
    minOrderSize: text(rules.minSize),
    maxOrderSize: text(rules.maxSize),
    maxPositionSize: text(rules.maxPosition),
    marketOpenLimitSize: text(rules.marketOpenLimit),
    liquidateFeeRate: text(rules.liquidateFee),
    riskTiers: rules.tiers.map(({ maxLeverage, maxNotional, rate }) => {
      return { maxNotional: text(maxNotional), maintenanceMarginRate: text(rate), maxLeverage };
    }),
  };
}

function contractRules({ naive }: Known, random: Random): Question {
  const symbol = maybe(random, TWO_SYMBOLS);
  const markets = chosen([...naive.contracts.values()], symbol === null ? null : [symbol]);
  const assets = new Set(markets.map(({ rules }) => rules.quote.asset));
  return {
    sent: sentOf({ symbol: symbol ?? undefined }),
    due: () => ({
      assets: [...assets].map((asset) => ({ asset, marginAvailable: true })),
      rateLimits: [],
      symbols: markets.map(contractRow),
    }),
  };
}

/** One's own of the market, else of all, else those of the market. */
function contractFees({ naive, uid }: Known, random: Random): Question {
  const symbol = random.pick(TWO_SYMBOLS);
  const own = naive.users.get(uid)?.feeRates;
  const listed = naive.contracts.get(symbol)?.rules;
  const rates = own?.get(`contract:${symbol}`) ?? own?.get("contract") ?? listed;
  const [maker, taker] = [text(rates?.maker ?? 0n), text(rates?.taker ?? 0n)];
  return {
    sent: { symbol },
    due: () => ({ symbol, makerCommissionRate: maker, takerCommissionRate: taker }),
  };
}

function accountConfig({ naive, uid }: Known): Question {
  const user = naive.users.get(uid);
  return {
    sent: {},
    due: () => ({
      canTrade: user?.state === "active",
      canDeposit: true,
      canWithdraw: true,
      dualSidePosition: true,
      updateTime: user?.registeredMs,
    }),
  };
}

export const SPOT_RULE_READINGS: Readings = {
  "GET /api/v3/exchangeInfo": spotRules,
  "GET /api/v3/apiTradingSymbols": ({ naive }) => ({ sent: {}, due: () => trading(naive.markets) }),
  "GET /api/v3/coins": coins,
  "GET /api/v2/public/exchangeInfo": spotRulesOfV2,
  "GET /api/v2/public/currencies": currencies,
  "GET /api/v2/public/products": ({ naive }) => ({
    sent: {},
    due: () => trading(naive.markets).map((symbol) => `${symbol}_SPBL`),
  }),
  "GET /api/v2/public/time": () => ({ sent: {}, isOfNow: true, due: (_, nowMs) => nowMs }),
};

export const CONTRACT_RULE_READINGS: Readings = {
  "GET /capi/v3/market/exchangeInfo": contractRules,
  "GET /capi/v3/market/apiTradingSymbols": ({ naive }) => ({
    sent: {},
    due: () => trading(naive.contracts),
  }),
  "GET /capi/v3/account/commissionRate": contractFees,
  "GET /capi/v3/account/accountConfig": accountConfig,
};
