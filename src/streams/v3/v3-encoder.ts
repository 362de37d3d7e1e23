/** Updates in v3. */
import {
  divideRoundingDown,
  formatDecimal,
  invariant,
  parseDecimal,
  powerOfTen,
  RATE_SCALE,
  SCALE_MAX,
} from "../../domain/index.ts";
import type { MessageEncoder } from "../channels/dialect.ts";
import type {
  AccountUpdate,
  BestPricesUpdate,
  BookOrdersSnapshot,
  BookOrdersUpdate,
  BookUpdate,
  DepthUpdate,
  KlineUpdate,
  TickerUpdate,
  TradeUpdate,
  Update,
} from "../channels/updates.ts";

export function v3Wording(name: string): MessageEncoder {
  return { dialect: "v3", name, showsContractPrices: false, encode };
}

function encode(update: Update): readonly string[] {
  return [JSON.stringify(messageOf(update))];
}

function messageOf(update: Update): object {
  switch (update.kind) {
    case "depth":
    case "book":
      return depthMessage(update);
    case "bookOrdersSnapshot":
      return ordersMessage(update);
    case "bookOrders":
      return orderChangesMessage(update);
    case "bookTicker":
      return bestPricesMessage(update);
    case "ticker":
      return tickerMessage(update);
    case "trade":
      return tradeMessage(update);
    case "kline":
      return klineMessage(update);
    default:
      return accountMessage(update);
  }
}

function depthMessage(update: DepthUpdate | BookUpdate): object {
  const { isSnapshot } = update;
  return {
    e: isSnapshot ? "depthSnapshot" : "depth",
    E: update.timestampMs,
    s: update.symbol,
    U: update.previous,
    u: update.version,
    ...("levels" in update && { l: update.levels }),
    d: isSnapshot ? "SNAPSHOT" : "CHANGED",
    b: update.bids,
    a: update.asks,
  };
}

function ordersMessage(update: BookOrdersSnapshot): object {
  const { bids, asks, symbol, timestampMs, version } = update;
  const e = "bookOrdersSnapshot";
  return { e, E: timestampMs, s: symbol, U: version, u: version, b: bids, a: asks };
}

function orderChangesMessage(update: BookOrdersUpdate): object {
  const { changes, previous, symbol, timestampMs, version } = update;
  const entries = changes.map(({ change, orderId, side, price, quantity, filled, tradeId }) => ({
    x: change.toUpperCase(),
    i: orderId,
    S: side,
    p: price,
    q: quantity,
    ...(tradeId !== null && { l: filled, t: tradeId }),
  }));
  return { e: "bookOrders", E: timestampMs, s: symbol, U: previous, u: version, d: entries };
}

function bestPricesMessage({ symbol, version, bid, ask, timestampMs }: BestPricesUpdate): object {
  const [b, B] = bid;
  const [a, A] = ask;
  return { e: "bookTicker", E: timestampMs, s: symbol, u: version, b, B, a, A };
}

/** Maximum decimals of volumes. */
const VOLUME_SCALE = SCALE_MAX;

/** quote ÷ base, truncated after eight decimals; "0" without a trade. */
function averagePrice(quoteVolume: string, baseVolume: string): string {
  const base = parseDecimal(baseVolume, VOLUME_SCALE);
  const quote = parseDecimal(quoteVolume, VOLUME_SCALE);
  invariant(typeof base === "bigint" && typeof quote === "bigint", "volumes are decimal text");
  if (base === 0n) return "0";
  return formatDecimal(divideRoundingDown(quote * powerOfTen(RATE_SCALE), base), RATE_SCALE);
}

/** A contract's ticker has mark and index price in addition to the spot fields. */
function tickerMessage({ ticker, timestampMs }: TickerUpdate): object {
  const entry = {
    p: ticker.priceChange,
    P: ticker.priceChangePercent,
    w: averagePrice(ticker.quoteVolume, ticker.baseVolume),
    c: ticker.lastPrice,
    o: ticker.open,
    h: ticker.high,
    l: ticker.low,
    v: ticker.baseVolume,
    q: ticker.quoteVolume,
    O: ticker.windowStartMs,
    C: ticker.windowEndMs,
    n: ticker.trades,
    ...("markPrice" in ticker ? { m: ticker.markPrice, i: ticker.indexPrice } : {}),
  };
  return { e: "ticker", E: timestampMs, s: ticker.symbol, d: [entry] };
}

function tradeMessage({ symbol, trades }: TradeUpdate): object {
  const entries = trades.map((trade) => ({
    T: trade.timestampMs,
    t: trade.tradeId,
    p: trade.price,
    q: trade.quantity,
    v: trade.value,
    m: trade.isBuyerMaker,
  }));
  return { e: "trade", E: trades.at(-1)?.timestampMs, s: symbol, d: entries };
}

function klineMessage({ symbol, interval, price, candles, timestampMs }: KlineUpdate): object {
  const entries = candles.map((candle) => ({
    t: candle.openMs,
    T: candle.closeMs,
    s: symbol,
    i: interval,
    o: candle.open,
    c: candle.close,
    h: candle.high,
    l: candle.low,
    v: candle.baseVolume,
    n: candle.trades,
    q: candle.quoteVolume,
    V: candle.takerBaseVolume,
    Q: candle.takerQuoteVolume,
  }));
  return { e: "kline", E: timestampMs, s: symbol, p: price, d: entries };
}

function accountMessage({ kind, version, cause, entries, timestampMs }: AccountUpdate): object {
  return { e: kind, E: timestampMs, v: version, msgEvent: cause, d: entries };
}
