/** The order book on the page: follows its stream and fits its space. */
import type { LocalOrderBook } from "../../../client/index.ts";
import { type Live, LiveValue } from "../../data/live-value.ts";
import type { ChartLine } from "../chart-line.ts";
import { ThrottledDrawing } from "../dom/throttled-drawing.ts";
import type { TradeMarket } from "../market.tsx";
import { PriceTrend } from "../price-trend.ts";
import { BookRenderer } from "./book-renderer.ts";
import { groupSteps, type Side } from "./book-rows.ts";

/** The deepest book that the exchange streams. */
const LEVELS = 200;
/** As in the style sheet. */
const ROW_HEIGHT_PX = 20;

export type BookSides = "both" | Side;

export interface BookPhase {
  readonly name: "loading" | "live" | "empty" | "stale" | "failed";
  readonly reason: string;
}

export interface LiveBookOptions {
  readonly host: HTMLElement;
  readonly market: TradeMarket;
  readonly onPick: (price: string) => void;
}

export class LiveBook {
  readonly phase = new LiveValue<BookPhase>({ name: "loading", reason: "" });
  /** Available price steps; empty before the first price. */
  readonly steps = new LiveValue<readonly string[]>([]);
  readonly #host: HTMLElement;
  readonly #renderer: BookRenderer;
  readonly #book: LocalOrderBook;
  readonly #market: TradeMarket;
  readonly #trend = new PriceTrend();
  readonly #drawing = new ThrottledDrawing(() => this.#draw());
  readonly #stops: readonly (() => void)[];
  #step: string;
  #sides: BookSides = "both";

  constructor({ host, market, onPick }: LiveBookOptions) {
    const { rules, streams, ticker, lines } = market;
    this.#host = host;
    this.#market = market;
    this.#step = rules.tickSize;
    this.#renderer = new BookRenderer(host, { ...rules, levelsMax: LEVELS, onPick });
    this.#book = streams.orderBook(rules.symbol, LEVELS);
    this.#book.ready.catch((error: Error) => {
      this.phase.set({ name: "failed", reason: error.message });
    });
    const observer = new ResizeObserver(() => this.#fit());
    observer.observe(host);
    this.#stops = [
      this.#book.listen(this.#drawing.soon),
      ticker.subscribe(this.#drawing.soon),
      lines.subscribe(this.#drawing.soon),
      () => observer.disconnect(),
    ];
    this.#fit();
  }

  set step(step: string) {
    this.#step = step;
    this.#drawing.soon();
  }

  set sides(sides: BookSides) {
    this.#sides = sides;
    this.#fit();
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#drawing.cancel();
    this.#book.close();
    this.#renderer.close();
  }

  #fit(): void {
    const space = this.#host.clientHeight - this.#renderer.fixedHeight;
    const rows = Math.max(0, Math.floor(space / ROW_HEIGHT_PX));
    const half = Math.floor(rows / 2);
    const counts = {
      both: { asks: half, bids: half },
      asks: { asks: rows, bids: 0 },
      bids: { asks: 0, bids: rows },
    };
    this.#renderer.resize(counts[this.#sides]);
    this.#drawing.soon();
  }

  #draw(): void {
    const { bids, asks, isLive, version } = this.#book;
    this.#showPhase(isLive, version > 0, bids.length + asks.length > 0);
    const { rules, lines } = this.#market;
    const ticker = this.#market.ticker.get();
    const lastPrice = ticker?.lastPrice ?? "0";
    if (this.steps.get().length === 0) {
      const price = lastPrice === "0" ? (asks[0]?.[0] ?? bids[0]?.[0]) : lastPrice;
      if (price !== undefined) {
        this.steps.set(groupSteps(rules.tickSize, rules.priceDecimals, price));
      }
    }
    this.#renderer.draw({
      bids,
      asks,
      step: this.#step,
      lastPrice,
      direction: this.#trend.follow(lastPrice),
      markPrice: ticker?.markPrice ?? null,
      ownPrices: ownPrices(lines),
    });
  }

  #showPhase(isLive: boolean, hasBook: boolean, hasLevels: boolean): void {
    const before = this.phase.get().name;
    if (before === "failed") return;
    const there = isLive ? (hasLevels ? "live" : "empty") : "stale";
    const name = hasBook ? there : "loading";
    if (name !== before) this.phase.set({ name, reason: "" });
  }
}

function ownPrices(lines: Live<readonly ChartLine[]>): Record<Side, readonly string[]> {
  const pricesOf = (side: ChartLine["tone"]): readonly string[] =>
    lines
      .get()
      .flatMap(({ kind, tone, price }) => (kind === "order" && tone === side ? [price] : []));
  return { bids: pricesOf("buy"), asks: pricesOf("sell") };
}
