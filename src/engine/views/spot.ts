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
import type { OrderPool } from "../matching/order-pool.ts";
import { BUY, NONE, SELL, type SideIndex } from "../matching/slot.ts";
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

/** Levels of one user's orders alone. */
export function ownDepthView(
  orders: OrderPool,
  market: SpotMarket,
  uid: number,
  levels: number,
): SpotDepthView {
  const { tick, step } = market.rules;
  const rows = (side: SideIndex): [string, string][] => {
    const depth = new Map<number, bigint>();
    for (
      let slot = market.book.bestOrder(side);
      slot !== NONE;
      slot = market.book.nextOrder(slot)
    ) {
      if (orders.uid(slot) !== uid) continue;
      const ticks = orders.priceTicks(slot);
      const lots = depth.get(ticks);
      if (lots === undefined && depth.size === levels) break;
      depth.set(ticks, (lots ?? 0n) + BigInt(orders.openLots(slot)));
    }
    return [...depth].map(([ticks, lots]) => [
      formatSteps(ticks, tick),
      formatDecimal(lots * BigInt(step.step), step.scale),
    ]);
  };
  const { symbol } = market;
  return { symbol, version: spotBookVersion(market), bids: rows(BUY), asks: rows(SELL) };
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
