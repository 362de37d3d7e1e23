/** Spot markets, orders, books and tickers as callers see them: decimal text, best prices first. */
import {
  formatDecimal,
  formatSteps,
  TIMES_IN_FORCE,
  type TimeInForce,
} from "../../domain/index.ts";
import type {
  SpotBookTickerView,
  SpotDepthView,
  SpotMarketView,
  SpotOrderView,
  SpotTickerView,
} from "../../protocol/index.ts";
import { BUY } from "../matching/slot.ts";
import { spotMarketTexts } from "../spot/markets.ts";
import { marketOfOrder } from "../spot/open-orders.ts";
import { type SpotMarket, type State, spotBookVersion } from "../state.ts";
import { bookTickerView, depthView, type PriceFormat, tickerView } from "./market-data.ts";

export function spotMarketView(market: SpotMarket): SpotMarketView {
  const { baseAsset, quoteAsset } = market.rules;
  return {
    ...spotMarketTexts(market),
    baseScale: baseAsset.scale,
    quoteScale: quoteAsset.scale,
  };
}

export function spotOrderView(state: State, slot: number): SpotOrderView {
  const { orders } = state;
  const market = marketOfOrder(state, slot);
  const { tick, step, quoteAsset } = market.rules;
  const progress = orders.progress(slot);
  const entry = orders.clientEntry(slot);
  const createdMs = state.clientOrders.createdMs(entry);
  return {
    orderId: orders.orderId(slot),
    clientOrderId: state.clientOrders.clientOrderId(entry),
    symbol: market.symbol,
    uid: orders.uid(slot),
    side: orders.side(slot) === BUY ? "BUY" : "SELL",
    orderType: "LIMIT",
    timeInForce: TIMES_IN_FORCE[orders.timeInForce(slot)] as TimeInForce,
    status: "NEW",
    price: formatSteps(orders.priceTicks(slot), tick),
    quantity: formatSteps(orders.quantityLots(slot), step),
    filledQuantity: formatSteps(orders.filledLots(slot), step),
    filledQuote: formatDecimal(progress?.filledQuoteMinor ?? 0n, quoteAsset.scale),
    createdMs,
    updatedMs: progress?.updatedMs ?? createdMs,
  };
}

export function spotDepthView(market: SpotMarket, levels: number): SpotDepthView {
  return depthView(market, spotBookVersion(market), levels);
}

export function spotBookTickerView(market: SpotMarket): SpotBookTickerView {
  return bookTickerView(market, priceFormat(market));
}

export function spotTickerView(market: SpotMarket, nowMs: number): SpotTickerView {
  return tickerView(market, priceFormat(market), nowMs);
}

/** Prices of a ticker are counted finer than in ticks, which may change. */
function priceFormat({ lastPriceUnits, priceScale }: SpotMarket): PriceFormat {
  return {
    last: lastPriceUnits,
    text: (units) => formatDecimal(BigInt(units), priceScale),
  };
}
