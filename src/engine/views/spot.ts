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
import { WINDOW_MS } from "../market-data/rolling-ticker.ts";
import { BUY, SELL } from "../matching/slot.ts";
import { spotMarketTexts } from "../spot/markets.ts";
import { marketOfOrder } from "../spot/open-orders.ts";
import { type SpotMarket, type State, spotBookVersion } from "../state.ts";
import { bestLevel, depthRows, formatFraction } from "./market-data.ts";

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
  return {
    symbol: market.symbol,
    version: spotBookVersion(market),
    bids: depthRows(market, BUY, levels),
    asks: depthRows(market, SELL, levels),
  };
}

export function spotBookTickerView(market: SpotMarket): SpotBookTickerView {
  const [bidPrice, bidQuantity] = bestLevel(market, BUY);
  const [askPrice, askQuantity] = bestLevel(market, SELL);
  const lastPrice = formatPriceUnits(market, market.lastPriceUnits);
  return { symbol: market.symbol, bidPrice, bidQuantity, askPrice, askQuantity, lastPrice };
}

function formatPriceUnits(market: SpotMarket, units: number): string {
  return formatDecimal(BigInt(units), market.priceScale);
}

export function spotTickerView(market: SpotMarket, nowMs: number): SpotTickerView {
  const { baseAsset, quoteAsset } = market.rules;
  const window = market.ticker.window(nowMs);
  const last = market.lastPriceUnits;
  const openUnits = window?.openPrice ?? last;
  const closeUnits = window?.closePrice ?? last;
  const price = (units: number): string => formatPriceUnits(market, units);
  return {
    ...spotBookTickerView(market),
    priceChange: price(closeUnits - openUnits),
    priceChangePercent: formatFraction(closeUnits - openUnits, openUnits),
    trades: window?.trades ?? 0,
    baseVolume: formatDecimal(window?.baseMinor ?? 0n, baseAsset.scale),
    quoteVolume: formatDecimal(window?.quoteMinor ?? 0n, quoteAsset.scale),
    high: price(window?.highPrice ?? last),
    low: price(window?.lowPrice ?? last),
    open: price(openUnits),
    close: price(closeUnits),
    highMs: window?.highMs ?? 0,
    lowMs: window?.lowMs ?? 0,
    windowStartMs: nowMs - WINDOW_MS,
    windowEndMs: nowMs,
  };
}
