/** What spot and contract markets show alike: levels of the book, the best prices, 24 hours. */
import {
  divideRoundingDown,
  formatDecimal,
  formatSteps,
  type Grid,
  RATE_SCALE,
} from "../../domain/index.ts";
import type {
  BookOrderRow,
  BookOrdersView,
  SpotBookTickerView,
  SpotDepthView,
  SpotTickerView,
} from "../../protocol/index.ts";
import { type RollingTicker, WINDOW_MS } from "../market-data/rolling-ticker.ts";
import type { OrderBook } from "../matching/order-book.ts";
import type { OrderPool } from "../matching/order-pool.ts";
import { BUY, NONE, SELL, type SideIndex } from "../matching/slot.ts";

interface Scaled {
  readonly scale: number;
}

/** Any market with a book of ticks and lots. */
interface QuotedMarket {
  readonly symbol: string;
  readonly book: OrderBook;
  readonly ticker: RollingTicker;
  readonly rules: {
    readonly tick: Grid;
    readonly step: Grid;
    readonly baseAsset: Scaled;
    readonly quoteAsset: Scaled;
  };
}

/** The last price and what prices of the market look like, in the units of its ticker. */
export interface PriceFormat {
  readonly last: number;
  text(units: number): string;
}

export function depthView(market: QuotedMarket, version: number, levels: number): SpotDepthView {
  return {
    symbol: market.symbol,
    version,
    bids: depthRows(market, BUY, levels),
    asks: depthRows(market, SELL, levels),
  };
}

export function bookOrdersView(
  { book }: Pick<QuotedMarket, "book">,
  version: number,
  pool: OrderPool,
  ordersMax: number,
): BookOrdersView {
  const { orderCount } = book;
  const orders =
    orderCount > ordersMax
      ? null
      : { bids: orderRows(book, pool, BUY), asks: orderRows(book, pool, SELL) };
  return { version, orderCount, orders };
}

function orderRows(book: OrderBook, pool: OrderPool, side: SideIndex): BookOrderRow[] {
  const rows: BookOrderRow[] = [];
  for (let slot = book.bestOrder(side); slot !== NONE; slot = book.nextOrder(slot)) {
    rows.push([pool.orderId(slot), pool.priceTicks(slot), pool.openLots(slot)]);
  }
  return rows;
}

export function bookTickerView(market: QuotedMarket, price: PriceFormat): SpotBookTickerView {
  const [bidPrice, bidQuantity] = bestLevel(market, BUY);
  const [askPrice, askQuantity] = bestLevel(market, SELL);
  const lastPrice = price.text(price.last);
  return { symbol: market.symbol, bidPrice, bidQuantity, askPrice, askQuantity, lastPrice };
}

export function tickerView(
  market: QuotedMarket,
  price: PriceFormat,
  nowMs: number,
): SpotTickerView {
  const { baseAsset, quoteAsset } = market.rules;
  const window = market.ticker.window(nowMs);
  const { last } = price;
  const open = window?.openPrice ?? last;
  const close = window?.closePrice ?? last;
  return {
    ...bookTickerView(market, price),
    priceChange: price.text(close - open),
    priceChangePercent: formatFraction(close - open, open),
    trades: window?.trades ?? 0,
    baseVolume: formatDecimal(window?.baseMinor ?? 0n, baseAsset.scale),
    quoteVolume: formatDecimal(window?.quoteMinor ?? 0n, quoteAsset.scale),
    high: price.text(window?.highPrice ?? last),
    low: price.text(window?.lowPrice ?? last),
    open: price.text(open),
    close: price.text(close),
    highMs: window?.highMs ?? 0,
    lowMs: window?.lowMs ?? 0,
    windowStartMs: nowMs - WINDOW_MS,
    windowEndMs: nowMs,
  };
}

/** Price and total quantity of the best levels of a side. */
function depthRows(market: QuotedMarket, side: SideIndex, levels: number): [string, string][] {
  const { tick, step } = market.rules;
  return market.book
    .depth(side, levels)
    .map(([priceTicks, lots]) => [
      formatSteps(priceTicks, tick),
      formatDecimal(BigInt(lots) * BigInt(step.step), step.scale),
    ]);
}

/** The best level of a side; "0" and "0" when it is empty. */
function bestLevel(market: QuotedMarket, side: SideIndex): readonly [string, string] {
  if (market.book.bestOrder(side) === NONE) return ["0", "0"];
  return depthRows(market, side, 1)[0] ?? ["0", "0"];
}

/** change ÷ open as a decimal fraction, cut off after eight decimals. */
function formatFraction(change: number, open: number): string {
  if (open === 0 || change === 0) return "0";
  const scaled = BigInt(Math.abs(change)) * 10n ** BigInt(RATE_SCALE);
  const fraction = divideRoundingDown(scaled, BigInt(open));
  return formatDecimal(change < 0 ? -fraction : fraction, RATE_SCALE);
}
