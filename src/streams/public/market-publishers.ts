/** Publishers of a market's other channels: ticker, trades and candles. */

import type { KlinePrice, PublicChannel } from "../../api/channel-names.ts";
import type { ContractTickerView, SpotTickerView } from "../../protocol/index.ts";
import type { Candle } from "../../queries/history-port.ts";
import { Publisher } from "../channels/publisher.ts";
import type {
  ContractPrices,
  KlineUpdate,
  PublicTrade,
  TickerUpdate,
} from "../channels/updates.ts";

export class TickerPublisher extends Publisher {
  #present: TickerUpdate | null = null;

  constructor() {
    super("ticker");
  }

  get conflates(): boolean {
    return true;
  }

  get present(): TickerUpdate | null {
    return this.#present;
  }

  /** Whether any subscriber is shown prices of the contract. */
  get wantsPrices(): boolean {
    return this.someEncoder(({ showsContractPrices }) => showsContractPrices);
  }

  /** Whether a subscriber that is shown prices of the contract arrived when they were not known. */
  get lacksPrices(): boolean {
    return this.wantsPrices && this.#present?.prices === null;
  }

  show(
    ticker: SpotTickerView | ContractTickerView,
    prices: ContractPrices | null,
    timestampMs: number,
  ): void {
    this.#present = { kind: "ticker", ticker, prices, timestampMs };
    this.publish(this.#present);
  }
}

const TRADES_PER_MESSAGE = 500;

/** Every trade is sent, so a subscriber that cannot keep up is disconnected. */
export class TradePublisher extends Publisher {
  readonly #symbol: string;
  #pending: PublicTrade[] = [];

  constructor(symbol: string) {
    super("trade");
    this.#symbol = symbol;
  }

  get conflates(): boolean {
    return false;
  }

  /** A subscription starts with the next trade; earlier trades are in the history. */
  get present(): null {
    return null;
  }

  take(trade: PublicTrade): void {
    this.#pending.push(trade);
    if (this.#pending.length === TRADES_PER_MESSAGE) this.flush();
  }

  flush(): void {
    const trades = this.#pending;
    if (trades.length === 0) return;
    this.#pending = [];
    this.publish({ kind: "trade", symbol: this.#symbol, trades });
  }
}

/** The current candle, and the previous one, whose last trades may have arrived since. */
export const KLINES_PER_MESSAGE = 2;

export class KlinePublisher extends Publisher {
  readonly channel: PublicChannel & { readonly kind: "kline" };
  #present: KlineUpdate | null = null;
  /** By the start of the candle. */
  #shown: ReadonlyMap<number, string> = new Map();

  constructor(channel: PublicChannel & { readonly kind: "kline" }) {
    super("kline");
    this.channel = channel;
  }

  get conflates(): boolean {
    return true;
  }

  get present(): KlineUpdate | null {
    return this.#present;
  }

  get price(): KlinePrice {
    return this.channel.price;
  }

  /** Of the newest candle that was shown. */
  get lastOpenMs(): number | null {
    return this.#present?.candles.at(-1)?.openMs ?? null;
  }

  /** The candles since the last one shown, oldest first: those that are over have final values. */
  show(candles: readonly Candle[], timestampMs: number): void {
    const texts = new Map(candles.map((candle) => [candle.openMs, JSON.stringify(candle)]));
    const changed = candles.filter(({ openMs }) => this.#shown.get(openMs) !== texts.get(openMs));
    // An empty list would break clients that read the first entry.
    if (changed.length === 0) return;
    this.#shown = texts;
    const { symbol, interval, price } = this.channel;
    const common = { kind: "kline", symbol, interval, price, candles, timestampMs } as const;
    const isFirst = this.#present === null;
    const newest = candles.slice(-KLINES_PER_MESSAGE);
    this.#present = { ...common, isSnapshot: true, candles: newest, changed: newest };
    this.publish(isFirst ? this.#present : { ...common, isSnapshot: false, changed });
  }
}
