/** Topics of a market beside its book: ticker, trades and candles. */
import {
  divideRoundingDown,
  formatDecimal,
  invariant,
  parseDecimal,
  powerOfTen,
  RATE_SCALE,
  SCALE_MAX,
} from "../domain/index.ts";
import type { ContractTickerView, SpotTickerView } from "../protocol/index.ts";
import type { Candle } from "../queries/history-port.ts";
import type { KlinePrice, PublicChannel } from "./channel-name.ts";
import { encode, LatestTopic, Topic } from "./topic.ts";

/** Volumes have at most so many decimals. */
const VOLUME_SCALE = SCALE_MAX;

/** quote ÷ base, cut off after eight decimals; "0" without a trade. */
function averagePrice(quoteVolume: string, baseVolume: string): string {
  const base = parseDecimal(baseVolume, VOLUME_SCALE);
  const quote = parseDecimal(quoteVolume, VOLUME_SCALE);
  invariant(typeof base === "bigint" && typeof quote === "bigint", "volumes are decimal text");
  if (base === 0n) return "0";
  return formatDecimal(divideRoundingDown(quote * powerOfTen(RATE_SCALE), base), RATE_SCALE);
}

export class TickerTopic extends LatestTopic {
  constructor(name: string) {
    super(name, "ticker");
  }

  /** A contract's ticker has mark and index beside what spot has. */
  show(ticker: SpotTickerView | ContractTickerView, timestampMs: number): void {
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
    this.publish({ e: "ticker", E: timestampMs, s: ticker.symbol, d: [entry] });
  }
}

/** A public trade in the words of the stream. */
export interface TradeEntry {
  readonly T: number;
  readonly t: string;
  readonly p: string;
  readonly q: string;
  readonly v: string;
  /** The buyer was the maker: the taker sold. */
  readonly m: boolean;
}

const TRADES_PER_MESSAGE = 500;

/** Every trade is sent, so a subscriber who cannot keep up is cut off. */
export class TradeTopic extends Topic {
  readonly #symbol: string;
  #pending: TradeEntry[] = [];

  constructor(name: string, symbol: string) {
    super(name, "trade");
    this.#symbol = symbol;
  }

  get conflates(): boolean {
    return false;
  }

  repeat(): void {
    // A subscription begins with the next trade; what was before is history.
  }

  take(trade: TradeEntry): void {
    this.#pending.push(trade);
    if (this.#pending.length === TRADES_PER_MESSAGE) this.flush();
  }

  flush(): void {
    const trades = this.#pending;
    const last = trades.at(-1);
    if (last === undefined) return;
    this.#pending = [];
    this.send(encode({ e: "trade", E: last.T, s: this.#symbol, d: trades }));
  }
}

export class KlineTopic extends LatestTopic {
  readonly channel: PublicChannel & { readonly kind: "kline" };
  #shown = "";

  constructor(channel: PublicChannel & { readonly kind: "kline" }) {
    super(channel.name, "kline");
    this.channel = channel;
  }

  get price(): KlinePrice {
    return this.channel.price;
  }

  /** The last candles, oldest first: the open one, and the one before it with its final values. */
  show(candles: readonly Candle[], timestampMs: number): void {
    const { symbol, interval, price } = this.channel;
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
    const text = JSON.stringify(entries);
    // An empty list would break clients that look at the first entry.
    if (entries.length === 0 || text === this.#shown) return;
    this.#shown = text;
    this.publish({ e: "kline", E: timestampMs, s: symbol, p: price, d: entries });
  }
}
