/**
 * Candles, indicators and drawings on a canvas, drawn at most once per frame. Numbers become floats
 * for pixels only; displayed text comes from the candles.
 */
import {
  type Chart,
  type Crosshair,
  dispose,
  init,
  type KLineData,
  type Period,
} from "klinecharts";
import type { CandleInterval } from "../../../domain/index.ts";
import { cancelDraw, scheduleDraw } from "../../data/frame.ts";
import { onThemeChange } from "../../shell/theme.tsx";
import type { CandleFeed } from "./candle-feed.ts";
import type { ChartCandle } from "./candle-list.ts";
import { ChartDrawings, type DrawingEvents } from "./chart-drawings.ts";
import { CANDLE_PANE, showIndicators } from "./chart-indicators.ts";
import type { CandleStyle, ChartSetup, Scale } from "./chart-setup.ts";
import { chartStyles } from "./chart-styles.ts";
import type { ChartTime } from "./chart-time.ts";
import { FillMarks } from "./fill-marks.ts";
import type { CandleFills, OwnFill } from "./own-fills.ts";

export interface CandleChartOptions extends DrawingEvents {
  readonly host: HTMLElement;
  readonly symbol: string;
  readonly priceDecimals: number;
  readonly quantityDecimals: number;
  /** Called with the candle under the pointer, or the newest, and the user's fills in it. */
  readonly onLook: (candle: ChartCandle | undefined, fills: CandleFills | undefined) => void;
  /** Called with a double-clicked price, on the tick. */
  readonly onPick: (price: string) => void;
  /** Called with every drawing: prices may be elsewhere now. */
  readonly onDrawn: () => void;
}

/** Where prices are drawn, in pixels of the host. */
export interface Plot {
  readonly width: number;
  readonly height: number;
}

/** Candles left before older ones are loaded. */
const OLDER_AHEAD = 50;
const CANDLE_WIDTH = { usual: 8, narrow: 6 } as const;
const NARROW_PX = 500;
/** Kept free after the newest candle. */
const SPACE_AT_END = { usual: 90, narrow: 40 } as const;
/** Of an indicator below the candles: a part of the chart, within limits. */
const PANE = { part: 0.16, least: 46, most: 90 } as const;
const ZOOM_STEP = 1.25;
/** Share of the view between a candle that is asked for and the end. */
const SHOWN_FROM_END = 0.25;
/** Share of the view that an arrow key scrolls. */
const SCROLL_PART = 0.1;

export class CandleChart {
  readonly drawings: ChartDrawings;
  readonly #options: CandleChartOptions;
  readonly #chart: Chart;
  readonly #stops: readonly (() => void)[];
  #feed: CandleFeed | null = null;
  #style: CandleStyle = "candles";
  #scale: Scale = "normal";
  #indicators: ChartSetup["indicators"] = [];
  #changedFrom = Number.POSITIVE_INFINITY;
  /** Takes the first candles of a feed; null once it has them. */
  #takeFirst: ((candles: KLineData[]) => void) | null = null;
  #takeNewest: ((candle: KLineData) => void) | null = null;
  #lookedAt: number | null = null;
  readonly #marks: FillMarks;

  constructor(options: CandleChartOptions) {
    this.#options = options;
    const { host } = options;
    this.#chart = this.#create();
    // The library makes it 1, which would put the chart before everything else on the page.
    for (const element of host.querySelectorAll<HTMLElement>("[tabindex]")) element.tabIndex = -1;
    this.drawings = new ChartDrawings(this.#chart, options);
    this.#marks = new FillMarks(this.#chart);
    this.#chart.createOverlay({
      name: "rialtoDrawn",
      paneId: CANDLE_PANE,
      lock: true,
      points: [{ dataIndex: 0, value: 0 }],
      extendData: options.onDrawn,
    });
    this.#chart.subscribeAction("onCrosshairChange", this.#onCrosshair);
    this.#chart.subscribeAction("onVisibleRangeChange", this.#onRange);
    host.addEventListener("dblclick", this.#onDoubleClick);
    const observer = new ResizeObserver(() => this.#chart.resize());
    observer.observe(host);
    this.#stops = [() => observer.disconnect(), onThemeChange(() => this.#restyle())];
  }

  #create(): Chart {
    const { host, symbol, priceDecimals, quantityDecimals } = this.#options;
    const size = host.clientWidth < NARROW_PX ? "narrow" : "usual";
    const chart = init(host, {
      styles: chartStyles(this.#style),
      // Keys that the whole page hears would be the page's.
      hotkey: { enabled: false },
      layout: { pane: { height: paneHeight(host.clientHeight), minHeight: 40 } },
    });
    if (chart === null) throw new Error("the chart has no element to draw on");
    chart.setBarSpace(CANDLE_WIDTH[size]);
    chart.setOffsetRightDistance(SPACE_AT_END[size]);
    chart.setSymbol({
      ticker: symbol,
      pricePrecision: priceDecimals,
      volumePrecision: quantityDecimals,
    });
    chart.setDataLoader({
      getBars: ({ type, callback }) => {
        if (type === "init") this.#begin(callback);
        else void this.#loadOlder(callback);
      },
      subscribeBar: ({ callback }) => {
        this.#takeNewest = callback;
      },
      unsubscribeBar: () => {
        this.#takeNewest = null;
      },
    });
    return chart;
  }

  /** Switches to another feed. */
  show(feed: CandleFeed, { timeZone }: ChartTime): void {
    this.#feed = feed;
    this.#takeNewest = null;
    this.#chart.setTimezone(timeZone);
    this.#chart.setPeriod(periodOf(feed.subject.interval));
    this.changed(0);
  }

  /** Redraws candles from a time on. */
  changed(fromTime: number): void {
    this.#changedFrom = Math.min(this.#changedFrom, fromTime);
    scheduleDraw(this.#draw);
  }

  set style(style: CandleStyle) {
    if (style === this.#style) return;
    this.#style = style;
    this.#restyle();
  }

  set scale(scale: Scale) {
    if (scale === this.#scale) return;
    this.#scale = scale;
    this.#chart.overrideYAxis({ name: scale, paneId: CANDLE_PANE });
  }

  set indicators(indicators: ChartSetup["indicators"]) {
    if (JSON.stringify(indicators) === JSON.stringify(this.#indicators)) return;
    this.#indicators = indicators;
    showIndicators(this.#chart, indicators);
  }

  set fills(fills: readonly OwnFill[]) {
    this.#marks.show(fills);
    this.#look();
  }

  /** Scrolls to the candle of a time, and has it looked at until the pointer moves. */
  showTime(ms: number): void {
    const list = this.#chart.getDataList();
    const place = Math.max(
      0,
      list.findLastIndex(({ timestamp }) => timestamp <= ms),
    );
    const { from, to } = this.#chart.getVisibleRange();
    const last = place + Math.round((to - from) * SHOWN_FROM_END);
    if (last >= list.length) this.#chart.scrollToRealTime();
    else this.#chart.scrollToDataIndex(last);
    this.#lookedAt = list[place]?.timestamp ?? null;
    this.#look();
  }

  get plot(): Plot {
    const { width = 0, height = 0 } = this.#chart.getSize(CANDLE_PANE, "main") ?? {};
    return { width, height };
  }

  /** Where a price is, from the top of the host. */
  yOf(price: number): number {
    const place = this.#chart.convertToPixel({ value: price }, { paneId: CANDLE_PANE });
    return (Array.isArray(place) ? place[0] : place)?.y ?? Number.NaN;
  }

  /** Where the newest close is. */
  get presentY(): number {
    return this.yOf(this.#chart.getDataList().at(-1)?.close ?? Number.NaN);
  }

  /** The price at a height, on the tick; null where there is none. */
  priceAt(y: number): string | null {
    const found = this.#chart.convertFromPixel([{ y }], { paneId: CANDLE_PANE });
    const value = (Array.isArray(found) ? found[0] : found)?.value;
    if (value === undefined || !(value > 0)) return null;
    return value.toFixed(this.#options.priceDecimals);
  }

  /** Arrow keys scroll, + and − zoom, End goes to the newest candle. False for other keys. */
  press(key: string): boolean {
    const width = this.plot.width * SCROLL_PART;
    if (key === "ArrowLeft") this.#chart.scrollByDistance(width);
    else if (key === "ArrowRight") this.#chart.scrollByDistance(-width);
    else if (key === "+" || key === "=") this.#chart.zoomAtCoordinate(ZOOM_STEP);
    else if (key === "-") this.#chart.zoomAtCoordinate(1 / ZOOM_STEP);
    else if (key === "End") this.#chart.scrollToRealTime();
    else return this.drawings.press(key);
    return true;
  }

  close(): void {
    for (const stop of this.#stops) stop();
    cancelDraw(this.#draw);
    this.#options.host.removeEventListener("dblclick", this.#onDoubleClick);
    this.drawings.close();
    dispose(this.#chart);
  }

  #restyle(): void {
    this.#chart.setStyles(chartStyles(this.#style));
    showIndicators(this.#chart, this.#indicators);
  }

  #begin(callback: (candles: KLineData[], more: { forward: boolean }) => void): void {
    this.#takeFirst = (candles) => callback(candles, { forward: true });
    scheduleDraw(this.#draw);
  }

  async #loadOlder(
    callback: (candles: KLineData[], more: { forward: boolean }) => void,
  ): Promise<void> {
    const feed = this.#feed;
    const hasOlder = (await feed?.loadOlder()) === true;
    if (feed === null || feed !== this.#feed) return;
    const firstTime = this.#chart.getDataList()[0]?.timestamp ?? 0;
    const older = feed.candles.all.filter(({ openTime }) => openTime < firstTime);
    callback(older.map(barOf), { forward: hasOlder });
  }

  readonly #draw = (): void => {
    if (this.#feed?.isLoaded !== true) return;
    const list = this.#feed.candles;
    const from = this.#changedFrom;
    this.#changedFrom = Number.POSITIVE_INFINITY;
    if (this.#takeFirst !== null) {
      const take = this.#takeFirst;
      this.#takeFirst = null;
      take(list.all.map(barOf));
    } else if (from < Number.POSITIVE_INFINITY) this.#drawChanged(from);
    this.#look();
  };

  #look(): void {
    const list = this.#feed?.candles;
    const looked = this.#lookedAt === null ? undefined : list?.at(this.#lookedAt);
    const candle = looked ?? list?.newest;
    const fills = candle === undefined ? undefined : this.#marks.of(candle.openTime);
    this.#options.onLook(candle, fills);
  }

  #drawChanged(from: number): void {
    const { candles } = this.#feed as CandleFeed;
    const drawn = this.#chart.getDataList();
    const first = drawn[0]?.timestamp ?? 0;
    const last = drawn.at(-1)?.timestamp ?? 0;
    // After a gap, candles follow that the drawn ones do not reach.
    if (candles.at(last) === undefined || this.#takeNewest === null) {
      this.#chart.resetData();
      return;
    }
    for (const candle of candles.from(Math.max(from, first))) {
      if (candle.openTime >= last) this.#takeNewest(barOf(candle));
      // A correction: drawn with the next one, which is not far.
      else replaceBar(drawn, candle);
    }
  }

  readonly #onCrosshair = (data?: unknown): void => {
    const { kLineData, paneId, x } = (data ?? {}) as Crosshair;
    const isOnChart = paneId !== undefined && x !== undefined;
    this.#lookedAt = isOnChart ? (kLineData?.timestamp ?? null) : null;
    this.#look();
  };

  readonly #onRange = (data?: unknown): void => {
    const { from } = (data ?? { from: OLDER_AHEAD }) as { readonly from: number };
    if (from < OLDER_AHEAD) void this.#feed?.loadOlder();
  };

  readonly #onDoubleClick = ({ clientY, target }: MouseEvent): void => {
    const { host, onPick } = this.#options;
    if (this.drawings.isDrawing || !(target instanceof Node) || !host.contains(target)) return;
    const y = clientY - host.getBoundingClientRect().top;
    const price = y <= this.plot.height ? this.priceAt(y) : null;
    if (price !== null) onPick(price);
  };
}

const UNITS = { m: "minute", h: "hour", d: "day", w: "week", M: "month" } as const;

function periodOf(interval: CandleInterval): Period {
  const unit = interval.slice(-1) as keyof typeof UNITS;
  return { type: UNITS[unit], span: Number.parseInt(interval, 10) };
}

function barOf({ openTime, open, high, low, close, volume }: ChartCandle): KLineData {
  return {
    timestamp: openTime,
    open: Number(open),
    high: Number(high),
    low: Number(low),
    close: Number(close),
    volume: Number(volume),
  };
}

function paneHeight(chartHeight: number): number {
  return Math.max(PANE.least, Math.min(PANE.most, Math.round(chartHeight * PANE.part)));
}

function replaceBar(drawn: KLineData[], candle: ChartCandle): void {
  const place = drawn.findLastIndex(({ timestamp }) => timestamp === candle.openTime);
  if (place >= 0) drawn[place] = barOf(candle);
}
