/** The depth chart, with totals as text above it. */
import { type PointerEvent, type ReactElement, useEffect, useRef, useState } from "react";
import type { LocalOrderBook } from "../../../client/index.ts";
import { Notice } from "../../components/panel.tsx";
import { type Live, LiveValue, useLive } from "../../data/live-value.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { onThemeChange } from "../../shell/theme.tsx";
import { ThrottledDrawing } from "../dom/throttled-drawing.ts";
import { useMarket } from "../market.tsx";
import type { MarketRules } from "../market-rules.ts";
import styles from "./chart.module.css";
import {
  type DepthPoint,
  depthCurve,
  depthRange,
  distanceOf,
  type reachedAt,
} from "./depth-curve.ts";
import { DepthRenderer } from "./depth-renderer.ts";

const LEVELS = 200;

export function DepthView(): ReactElement {
  const { streams, rules } = useMarket();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [depth, setDepth] = useState<LiveDepth | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: refetched rules are the same
  useEffect(() => {
    if (canvas.current === null) return;
    const made = new LiveDepth(canvas.current, streams.orderBook(rules.symbol, LEVELS), rules);
    setDepth(made);
    return () => made.close();
  }, [streams, rules.symbol]);
  const point = ({ nativeEvent }: PointerEvent): void => depth?.point(nativeEvent.offsetX);
  return (
    <>
      {depth === null ? null : <DepthText summary={depth.summary} rules={rules} />}
      <div className={styles.canvas}>
        <canvas
          ref={canvas}
          className={styles.depth}
          role="img"
          aria-label={`Depth chart of ${rules.symbol}; totals of both sides are shown above`}
          onPointerMove={point}
          onPointerLeave={() => depth?.point(null)}
        />
        {depth === null ? null : <Cover summary={depth.summary} />}
      </div>
    </>
  );
}

interface DepthSummary {
  readonly isLoaded: boolean;
  /** Totals of each side; null if empty. */
  readonly bids: DepthPoint | null;
  readonly asks: DepthPoint | null;
  readonly reached: ReturnType<typeof reachedAt>;
  /** Of the reached price from the mid price. */
  readonly distance: string;
}

const NOTHING: DepthSummary = {
  isLoaded: false,
  bids: null,
  asks: null,
  reached: undefined,
  distance: "",
};

class LiveDepth {
  readonly summary = new LiveValue<DepthSummary>(NOTHING);
  readonly #book: LocalOrderBook;
  readonly #rules: MarketRules;
  readonly #renderer: DepthRenderer;
  readonly #stops: readonly (() => void)[];
  readonly #drawing = new ThrottledDrawing(() => this.#draw());
  #pointerX: number | null = null;

  constructor(canvas: HTMLCanvasElement, book: LocalOrderBook, rules: MarketRules) {
    this.#book = book;
    this.#rules = rules;
    this.#renderer = new DepthRenderer(canvas);
    const observer = new ResizeObserver(() => {
      this.#renderer.fit();
      this.#draw();
    });
    observer.observe(canvas);
    this.#stops = [
      book.listen(this.#drawing.soon),
      onThemeChange(this.#drawing.soon),
      () => observer.disconnect(),
      () => book.close(),
    ];
  }

  point(x: number | null): void {
    this.#pointerX = x;
    this.#drawing.soon();
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#drawing.cancel();
  }

  #draw(): void {
    const { priceDecimals } = this.#rules;
    const bids = depthCurve(this.#book.bids, this.#rules);
    const asks = depthCurve(this.#book.asks, this.#rules);
    const pointerX = this.#pointerX;
    const reached = this.#renderer.draw({ bids, asks, pointerX, priceDecimals });
    const range = depthRange(bids, asks);
    this.summary.set({
      isLoaded: this.#book.version > 0,
      bids: bids.at(-1) ?? null,
      asks: asks.at(-1) ?? null,
      reached,
      distance: reached && range ? distanceOf(reached.point.price, range) : "",
    });
  }
}

interface DepthTextProps {
  readonly summary: Live<DepthSummary>;
  readonly rules: MarketRules;
}

function DepthText({ summary, rules }: DepthTextProps): ReactElement {
  const { bids, asks, reached, distance } = useLive(summary);
  const { quoteAsset, baseAsset, quantityDecimals, priceDecimals } = rules;
  const amounts = (point: DepthPoint | null): string => {
    if (point === null) return "none";
    const quantity = `${groupDecimal(point.quantity, quantityDecimals)} ${baseAsset}`;
    return `${quantity} (${groupDecimal(point.value, 0)} ${quoteAsset})`;
  };
  return (
    <p className={styles.depthText}>
      {reached === undefined ? (
        <>
          <span data-side="bids">Bids</span> {amounts(bids)}
          {" · "}
          <span data-side="asks">Asks</span> {amounts(asks)}
        </>
      ) : (
        <>
          <span data-side={reached.side}>
            {reached.side === "bids" ? "Sell" : "Buy"} to{" "}
            {groupDecimal(reached.point.price, priceDecimals)} ({distance})
          </span>
          : {amounts(reached.point)}
        </>
      )}
    </p>
  );
}

function Cover({ summary }: { readonly summary: Live<DepthSummary> }): ReactElement | null {
  const { isLoaded, bids, asks } = useLive(summary);
  if (isLoaded && bids !== null && asks !== null) return null;
  return (
    <div className={styles.cover}>
      {isLoaded ? (
        <Notice kind="empty">The depth chart needs orders on both sides of the book.</Notice>
      ) : (
        <Notice kind="loading">Loading order book…</Notice>
      )}
    </div>
  );
}
