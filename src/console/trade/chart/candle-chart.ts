/**
 * Candles, volume and price lines on a canvas, drawn at most once per frame. Numbers become floats
 * for pixels only; displayed text comes from the candles.
 */
import {
  CandlestickSeries,
  ColorType,
  CrosshairMode,
  createChart,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  LineStyle,
  type MouseEventParams,
  type UTCTimestamp,
} from "lightweight-charts";
import { cancelDraw, scheduleDraw } from "../../data/frame.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { onThemeChange, themeColor } from "../../shell/theme.tsx";
import type { ChartLine } from "../market.tsx";
import type { CandleFeed } from "./candle-feed.ts";
import type { ChartCandle } from "./candle-list.ts";
import { axisLocale, type ChartTime } from "./chart-time.ts";

export interface CandleChartOptions {
  readonly host: HTMLElement;
  readonly priceDecimals: number;
  /** Called with the candle under the pointer, or the newest. */
  readonly onLook: (candle: ChartCandle | undefined) => void;
  /** Called with a double-clicked price, on the tick. */
  readonly onPick: (price: string) => void;
}

/** Candles left before older ones are loaded. */
const OLDER_AHEAD = 50;
const CANDLES_IN_VIEW = { least: 40, most: 120 } as const;
const SPACE_AT_END = 6;
const ZOOM_STEP = 1.25;
/** Share of the view that an arrow key scrolls. */
const SCROLL_PART = 0.1;

export class CandleChart {
  readonly #options: CandleChartOptions;
  readonly #chart: IChartApi;
  readonly #candles: ISeriesApi<"Candlestick">;
  readonly #volume: ISeriesApi<"Histogram">;
  readonly #stopTheme: () => void;
  #feed: CandleFeed | null = null;
  /** Added to times, so that the axis shows local time. */
  #shiftSeconds = 0;
  #changedFrom = Number.POSITIVE_INFINITY;
  #drawnNewest = -1;
  #lookedAt: number | null = null;
  #lines: readonly ChartLine[] = [];
  #priceLines: IPriceLine[] = [];

  constructor(options: CandleChartOptions) {
    this.#options = options;
    const { host, priceDecimals } = options;
    this.#chart = createChart(host, {
      autoSize: true,
      // The logo adds a style element, which the content policy forbids; the link is below.
      layout: { attributionLogo: false, fontFamily: themeColor("--sans"), fontSize: 11 },
      crosshair: { mode: CrosshairMode.Normal },
      localization: {
        locale: axisLocale(navigator.language),
        priceFormatter: (price: number) => groupDecimal(price.toFixed(priceDecimals)),
      },
      timeScale: { rightOffset: SPACE_AT_END, minBarSpacing: 1 },
    });
    const priceFormat = {
      type: "price",
      precision: priceDecimals,
      minMove: 10 ** -priceDecimals,
    } as const;
    this.#candles = this.#chart.addSeries(CandlestickSeries, { priceFormat });
    this.#candles.priceScale().applyOptions({ scaleMargins: { top: 0.1, bottom: 0.22 } });
    this.#volume = this.#chart.addSeries(HistogramSeries, {
      priceScaleId: "",
      priceFormat: { type: "volume" },
      lastValueVisible: false,
      priceLineVisible: false,
    });
    this.#volume.priceScale().applyOptions({ scaleMargins: { top: 0.84, bottom: 0 } });
    this.#applyColors();
    this.#chart.subscribeCrosshairMove(this.#onCrosshair);
    this.#chart.subscribeDblClick(this.#onDoubleClick);
    this.#chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      if (range !== null && range.from < OLDER_AHEAD) this.#feed?.loadOlder();
    });
    this.#stopTheme = onThemeChange(() => {
      this.#applyColors();
      this.changed(0);
    });
  }

  /** Switches to another feed. */
  show(feed: CandleFeed, { shiftSeconds, isWithinDay }: ChartTime): void {
    this.#feed = feed;
    this.#shiftSeconds = shiftSeconds;
    this.#chart.timeScale().applyOptions({ timeVisible: isWithinDay, secondsVisible: false });
    // Mark price candles have no volume.
    this.#volume.applyOptions({ visible: feed.subject.priceType === "LAST_PRICE" });
    this.#drawnNewest = -1;
    this.#candles.setData([]);
    this.#volume.setData([]);
    this.changed(0);
  }

  /** Redraws candles from a time on. */
  changed(fromTime: number): void {
    this.#changedFrom = Math.min(this.#changedFrom, fromTime);
    scheduleDraw(this.#draw);
  }

  /** Unchanged lists draw nothing. */
  set lines(lines: readonly ChartLine[]) {
    if (JSON.stringify(lines) === JSON.stringify(this.#lines)) return;
    this.#lines = lines;
    this.#drawLines();
  }

  #drawLines(): void {
    for (const line of this.#priceLines) this.#candles.removePriceLine(line);
    this.#priceLines = this.#lines.map(({ price, label, tone }) =>
      this.#candles.createPriceLine({
        price: Number(price),
        title: label,
        color: themeColor(`--${tone}`),
        lineWidth: 1,
        lineStyle: LineStyle.Dashed,
        axisLabelVisible: true,
      }),
    );
  }

  /** Arrow keys scroll, + and − zoom, End goes to the newest candle. False for other keys. */
  press(key: string): boolean {
    const scale = this.#chart.timeScale();
    const range = scale.getVisibleLogicalRange();
    if (range === null) return false;
    const width = range.to - range.from;
    const widthAfter = { "+": width / ZOOM_STEP, "=": width / ZOOM_STEP, "-": width * ZOOM_STEP }[
      key
    ];
    const move = { ArrowLeft: -width * SCROLL_PART, ArrowRight: width * SCROLL_PART }[key];
    if (widthAfter !== undefined) {
      scale.setVisibleLogicalRange({ from: range.to - widthAfter, to: range.to });
    } else if (move !== undefined) {
      scale.setVisibleLogicalRange({ from: range.from + move, to: range.to + move });
    } else if (key === "End") {
      scale.scrollToRealTime();
    } else return false;
    return true;
  }

  close(): void {
    this.#stopTheme();
    cancelDraw(this.#draw);
    this.#chart.remove();
  }

  readonly #draw = (): void => {
    if (this.#feed?.isLoaded !== true) return;
    const list = this.#feed.candles;
    const from = this.#changedFrom;
    this.#changedFrom = Number.POSITIVE_INFINITY;
    const { newest } = list;
    const isFirst = this.#drawnNewest === -1;
    if (from > 0 && !isFirst) {
      for (const candle of list.from(from)) this.#drawCandle(candle);
    } else {
      this.#candles.setData(list.all.map((candle) => this.#bar(candle)));
      this.#volume.setData(list.all.map((candle) => this.#volumeBar(candle)));
      if (isFirst && newest !== undefined) this.#showNewest(list.all.length);
    }
    this.#drawnNewest = newest?.openTime ?? -1;
    const { onLook } = this.#options;
    onLook(this.#lookedAt === null ? newest : (list.at(this.#lookedAt) ?? newest));
  };

  #drawCandle(candle: ChartCandle): void {
    const isBehind = candle.openTime < this.#drawnNewest;
    this.#candles.update(this.#bar(candle), isBehind);
    this.#volume.update(this.#volumeBar(candle), isBehind);
    this.#drawnNewest = Math.max(this.#drawnNewest, candle.openTime);
  }

  #showNewest(count: number): void {
    const { least, most } = CANDLES_IN_VIEW;
    const from = count - Math.max(least, Math.min(most, count));
    this.#chart.timeScale().setVisibleLogicalRange({ from, to: count + SPACE_AT_END });
  }

  #bar({ openTime, open, high, low, close }: ChartCandle) {
    return {
      time: this.#time(openTime),
      open: Number(open),
      high: Number(high),
      low: Number(low),
      close: Number(close),
    };
  }

  #volumeBar({ openTime, open, close, volume }: ChartCandle) {
    const name = Number(close) >= Number(open) ? "--buy-soft" : "--sell-soft";
    return {
      time: this.#time(openTime),
      value: Number(volume),
      color: this.#colors[name],
    };
  }

  #time(openTime: number): UTCTimestamp {
    return (openTime / 1000 + this.#shiftSeconds) as UTCTimestamp;
  }

  #colors: Readonly<Record<"--buy-soft" | "--sell-soft", string>> = {
    "--buy-soft": "",
    "--sell-soft": "",
  };

  #applyColors(): void {
    const line = themeColor("--line");
    const label = themeColor("--line-strong");
    this.#colors = {
      "--buy-soft": themeColor("--buy-soft"),
      "--sell-soft": themeColor("--sell-soft"),
    };
    this.#chart.applyOptions({
      layout: {
        background: { type: ColorType.Solid, color: themeColor("--panel") },
        textColor: themeColor("--text-dim"),
      },
      grid: { vertLines: { color: line }, horzLines: { color: line } },
      crosshair: {
        vertLine: { color: label, labelBackgroundColor: label },
        horzLine: { color: label, labelBackgroundColor: label },
      },
      rightPriceScale: { borderColor: line },
      timeScale: { borderColor: line },
    });
    const [up, down] = [themeColor("--buy"), themeColor("--sell")];
    this.#candles.applyOptions({
      upColor: up,
      wickUpColor: up,
      borderUpColor: up,
      downColor: down,
      wickDownColor: down,
      borderDownColor: down,
    });
    this.#drawLines();
  }

  readonly #onCrosshair = ({ time }: MouseEventParams): void => {
    this.#lookedAt = time === undefined ? null : ((time as number) - this.#shiftSeconds) * 1000;
    const list = this.#feed?.candles;
    const { onLook } = this.#options;
    onLook(this.#lookedAt === null ? list?.newest : list?.at(this.#lookedAt));
  };

  readonly #onDoubleClick = ({ point }: MouseEventParams): void => {
    if (point === undefined) return;
    const price = this.#candles.coordinateToPrice(point.y);
    if (price === null || price <= 0) return;
    this.#options.onPick(price.toFixed(this.#options.priceDecimals));
  };
}
