/**
 * Query answers of the reference exchange, in the shapes of the engine's answers: balances, open
 * orders, depth, the rolling ticker computed over all trades, and totals of the ledger.
 */
import type { Side } from "../../src/domain/index.ts";
import { greatest, least, text } from "../support/exact.ts";
import type { NaiveExchange } from "./naive-exchange.ts";
import { ONE } from "./naive-rules.ts";
import type { NaiveMarket, NaiveTrade } from "./naive-spot-orders.ts";

const DAY_MS = 86_400_000;
const BUCKET_MS = 1000;
/** Decimals of the ticker's relative change. */
const CHANGE_UNIT = 10n ** 10n;

export function naiveBalances(exchange: NaiveExchange, uid: number): unknown[] {
  const assets = [...exchange.assets.values()].sort((one, other) => one.coinId - other.coinId);
  return assets.map(({ asset, coinId }) => {
    const equity = exchange.equity(uid, "spot", asset);
    const frozen = exchange.frozen(uid, asset);
    const available = equity - frozen;
    return {
      asset,
      coinId,
      available: text(available),
      frozen: text(frozen),
      equity: text(equity),
    };
  });
}

export function naiveOpenOrders(exchange: NaiveExchange, uid: number) {
  return exchange.openOrders(uid, null).map((order) => ({
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    symbol: order.symbol,
    uid,
    side: order.side,
    orderType: "LIMIT",
    timeInForce: order.timeInForce,
    status: "NEW",
    price: text(order.price),
    quantity: text(order.quantity),
    filledQuantity: text(order.filled),
    filledQuote: text(order.filledQuote),
    createdMs: order.createdMs,
    updatedMs: order.updatedMs,
  }));
}

/** The one of every market first, then by symbol. */
export function naiveSwitches({ switches }: NaiveExchange, uid: number) {
  return switches
    .filter((one) => one.uid === uid && one.product === "spot")
    .sort((one, other) => ((one.symbol ?? "") < (other.symbol ?? "") ? -1 : 1))
    .map(({ symbol, countdownMs, firesAtMs, isHeld }) => {
      return { symbol, countdownMs, firesAtMs, isHeld };
    });
}

export function naiveDepth(
  exchange: NaiveExchange,
  market: NaiveMarket,
  side: Side,
): [string, string][] {
  const levels = new Map<bigint, bigint>();
  for (const { price, quantity, filled } of exchange.sideOf(market, side)) {
    levels.set(price, (levels.get(price) ?? 0n) + quantity - filled);
  }
  return [...levels].map(([price, quantity]) => [text(price), text(quantity)]);
}

/**
 * The trades of (now − 24 h, now]. Trades of one second are one bucket, which counts as a whole
 * while its last trade is inside.
 */
function tradesInside(trades: readonly NaiveTrade[], nowMs: number): NaiveTrade[] {
  const lastOfBucket = new Map<number, number>();
  for (const { ms } of trades) lastOfBucket.set(Math.floor(ms / BUCKET_MS), ms);
  return trades.filter(({ ms }) => {
    const last = lastOfBucket.get(Math.floor(ms / BUCKET_MS)) ?? ms;
    return last > nowMs - DAY_MS;
  });
}

export function naiveTicker(
  exchange: NaiveExchange,
  market: NaiveMarket,
  nowMs: number,
): Record<string, unknown> {
  const { lastPrice, trades } = market;
  return { ...naiveBookTicker(exchange, market), ...naiveDay(trades, lastPrice ?? 0n, nowMs) };
}

/** What a ticker says of the trades of a day; without any, of the last price. */
export function naiveDay(trades: readonly NaiveTrade[], last: bigint, nowMs: number) {
  const inside = tradesInside(trades, nowMs);
  const prices = inside.length > 0 ? inside.map(({ price }) => price) : [last];
  const open = prices[0] ?? 0n;
  const close = prices.at(-1) ?? 0n;
  const high = prices.reduce(greatest);
  const low = prices.reduce(least);
  const change = close - open;
  const fraction = open === 0n ? 0n : (change * ONE) / open / CHANGE_UNIT;
  const total = (of: (trade: NaiveTrade) => bigint) =>
    text(inside.reduce((sum, trade) => sum + of(trade), 0n));
  return {
    priceChange: text(change),
    priceChangePercent: text(fraction * CHANGE_UNIT),
    trades: inside.length,
    baseVolume: total(({ base }) => base),
    quoteVolume: total(({ quote }) => quote),
    high: text(high),
    low: text(low),
    open: text(open),
    close: text(close),
    highMs: inside.find(({ price }) => price === high)?.ms ?? 0,
    lowMs: inside.find(({ price }) => price === low)?.ms ?? 0,
    windowStartMs: nowMs - DAY_MS,
    windowEndMs: nowMs,
  };
}

export function naiveBookTicker(
  exchange: NaiveExchange,
  market: NaiveMarket,
): Record<string, unknown> {
  const [bidPrice, bidQuantity] = naiveDepth(exchange, market, "BUY")[0] ?? ["0", "0"];
  const [askPrice, askQuantity] = naiveDepth(exchange, market, "SELL")[0] ?? ["0", "0"];
  const lastPrice = text(market.lastPrice ?? 0n);
  return { symbol: market.symbol, bidPrice, bidQuantity, askPrice, askQuantity, lastPrice };
}

/** The ledger's totals of an asset under the names of its accounts. */
export function naiveTotals(exchange: NaiveExchange, asset: string): Record<string, string> {
  const uids = [...exchange.users.keys()];
  const sum = (of: (uid: number) => bigint) =>
    text(uids.reduce((total, uid) => total + of(uid), 0n));
  return {
    "spot.available": sum((uid) => exchange.available(uid, asset)),
    "spot.frozen": sum((uid) => exchange.frozen(uid, asset)),
    "contract.available": sum((uid) => exchange.equity(uid, "contract", asset)),
    "contract.order-margin": "0",
    "contract.position-margin": "0",
    fees: text(exchange.house("fees", asset)),
    "affiliate-payable": "0",
    insurance: text(exchange.house("insurance", asset)),
    "funding-clearing": "0",
    "pnl-clearing": "0",
    rounding: "0",
    external: text(exchange.house("external", asset)),
  };
}
