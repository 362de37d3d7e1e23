/** What both families show of a market's rules beside what the engine says of it. */
import { formatDecimal, invariant, parseGrid } from "../../domain/index.ts";
import type { SpotMarketView } from "../../protocol/index.ts";
import { toRateE8 } from "../v3/rate.ts";

/** The names that the families share. */
export function marketRules(market: SpotMarketView) {
  return {
    tickSize: market.tickSize,
    stepSize: market.stepSize,
    minTradeAmount: market.minTradeAmount,
    maxTradeAmount: market.maxTradeAmount,
    takerFeeRate: market.takerFeeRate,
    makerFeeRate: market.makerFeeRate,
    buyLimitPriceRatio: market.buyLimitPriceRatio,
    sellLimitPriceRatio: market.sellLimitPriceRatio,
    marketBuyLimitSize: market.maxTradeAmount,
    marketSellLimitSize: market.maxTradeAmount,
    marketFallbackPriceRatio: wider(market.buyLimitPriceRatio, market.sellLimitPriceRatio),
    enableTrade: market.state === "trading",
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
