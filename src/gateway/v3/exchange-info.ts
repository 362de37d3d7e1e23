/** GET /api/v3/exchangeInfo: the rules of the spot markets. */
import { exchangeInfoRoute } from "../../api/v3/market.ts";
import { accept, formatDecimal, invariant, parseGrid } from "../../domain/index.ts";
import type { SpotMarketView } from "../../protocol/index.ts";
import { endpoint } from "../endpoint.ts";
import { pickSymbols, readSymbols, symbolToAsk } from "./parameters.ts";
import { toRateE8 } from "./rate.ts";

export const exchangeInfoEndpoint = endpoint(exchangeInfoRoute, async ({ query }, { engine }) => {
  const chosen = readSymbols(query);
  if (!chosen.ok) return chosen;
  const markets = await engine.ask({ type: "spot-markets", symbol: symbolToAsk(chosen.value) });
  if (!markets.ok) return markets;
  const picked = pickSymbols(markets.value, chosen.value);
  if (!picked.ok) return picked;
  const symbols = picked.value.map(toSymbol);
  return accept({
    timezone: "UTC",
    serverTime: markets.timestampMs,
    symbols:
      query.symbolStatus === undefined
        ? symbols
        : symbols.filter(({ status }) => status === query.symbolStatus),
  });
});

function toSymbol(market: SpotMarketView) {
  const trading = market.state === "trading";
  return {
    symbol: market.symbol,
    status: trading ? ("TRADING" as const) : ("BREAK" as const),
    baseAsset: market.baseAsset,
    baseAssetPrecision: market.baseScale,
    quoteAsset: market.quoteAsset,
    quoteAssetPrecision: market.quoteScale,
    tickSize: market.tickSize,
    stepSize: market.stepSize,
    minTradeAmount: market.minTradeAmount,
    maxTradeAmount: market.maxTradeAmount,
    minNotional: market.minNotional,
    takerFeeRate: market.takerFeeRate,
    makerFeeRate: market.makerFeeRate,
    buyLimitPriceRatio: market.buyLimitPriceRatio,
    sellLimitPriceRatio: market.sellLimitPriceRatio,
    marketBuyLimitSize: market.maxTradeAmount,
    marketSellLimitSize: market.maxTradeAmount,
    marketFallbackPriceRatio: wider(market.buyLimitPriceRatio, market.sellLimitPriceRatio),
    enableTrade: trading,
    enableDisplay: true,
    displayDigitMerge: bookSteps(market.tickSize),
    displayNew: false,
    displayHot: false,
    supportTracing: false,
    supportPlanMarket: false,
  };
}

/** A market order stops at the band of its side; where the two differ, this names the wider. */
function wider(buyRatio: string, sellRatio: string): string {
  return toRateE8(buyRatio) < toRateE8(sellRatio) ? sellRatio : buyRatio;
}

/** The tick and three coarser steps: what a screen offers to group a book by. */
function bookSteps(tickSize: string): string {
  const grid = parseGrid(tickSize);
  invariant(grid !== null, "a listed market has a tick size");
  const steps = [1n, 10n, 100n, 1000n].map((factor) =>
    formatDecimal(BigInt(grid.step) * factor, grid.scale),
  );
  return steps.join(",");
}
