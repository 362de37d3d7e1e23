/** Marks of the user's fills on the candles. */
import {
  type Chart,
  type OverlayCreateFiguresCallbackParams,
  type OverlayFigure,
  registerOverlay,
} from "klinecharts";
import { themeColor } from "../../shell/theme.tsx";
import { CANDLE_PANE } from "./chart-indicators.ts";
import { type CandleFills, fillsByCandle, type OwnFill } from "./own-fills.ts";

const RADIUS = 7;
/** From the candle. */
const AWAY = 12;
const LETTER_SIZE = 10;

const OVERLAY = "rialtoFills";

registerOverlay({
  name: OVERLAY,
  totalStep: 1,
  createPointFigures: (params) => {
    // A function: the library copies objects.
    const { extendData } = params.overlay;
    return typeof extendData === "function" ? extendData(params) : [];
  },
});

/** The marks of a chart. */
export class FillMarks {
  readonly #chart: Chart;
  #fills: readonly OwnFill[] = [];
  #byCandle: ReadonlyMap<number, CandleFills> = new Map();
  /** The candles that `#byCandle` is for. */
  #madeFor = "";

  constructor(chart: Chart) {
    this.#chart = chart;
    const points = [{ dataIndex: 0, value: 0 }];
    chart.createOverlay({ id: OVERLAY, ...LAYER, points, extendData: this.#draw });
  }

  show(fills: readonly OwnFill[]): void {
    this.#fills = fills;
    this.#madeFor = "";
    this.#chart.overrideOverlay({ id: OVERLAY, extendData: this.#draw });
  }

  of(openTime: number): CandleFills | undefined {
    const list = this.#chart.getDataList();
    const made = `${list.length} ${list[0]?.timestamp} ${list.at(-1)?.timestamp}`;
    if (made !== this.#madeFor) {
      this.#madeFor = made;
      const openTimes = list.map(({ timestamp }) => timestamp);
      this.#byCandle = fillsByCandle(this.#fills, openTimes);
    }
    return this.#byCandle.get(openTime);
  }

  readonly #draw = (params: OverlayCreateFiguresCallbackParams<unknown>): OverlayFigure[] =>
    markFigures(params, this);
}

const LAYER = { name: OVERLAY, paneId: CANDLE_PANE, lock: true } as const;

/** B below the candle, S above it. */
function markFigures(
  { chart, xAxis, yAxis, bounding }: OverlayCreateFiguresCallbackParams<unknown>,
  marks: FillMarks,
): OverlayFigure[] {
  if (xAxis === null || yAxis === null) return [];
  const figures: OverlayFigure[] = [];
  const list = chart.getDataList();
  const { from, to } = chart.getVisibleRange();
  for (let i = Math.max(0, from); i < Math.min(to, list.length); i++) {
    const candle = list[i];
    const fills = candle === undefined ? undefined : marks.of(candle.timestamp);
    if (candle === undefined || fills === undefined) continue;
    const x = xAxis.convertToPixel(i);
    if (fills.bought !== null) {
      const y = Math.min(yAxis.convertToPixel(candle.low) + AWAY, bounding.height - RADIUS);
      figures.push(...mark(x, y, "B", "--buy-strong"));
    }
    if (fills.sold !== null) {
      const y = Math.max(yAxis.convertToPixel(candle.high) - AWAY, RADIUS);
      figures.push(...mark(x, y, "S", "--sell-strong"));
    }
  }
  return figures;
}

function mark(x: number, y: number, letter: string, color: `--${string}`): OverlayFigure[] {
  const circle = { style: "stroke_fill", color: themeColor(color), borderColor: "#ffffff" };
  const text = { color: "#ffffff", size: LETTER_SIZE, weight: 600, family: themeColor("--sans") };
  const bare = { backgroundColor: "transparent", borderSize: 0 };
  const padding = { paddingLeft: 0, paddingRight: 0, paddingTop: 0, paddingBottom: 0 };
  return [
    { type: "circle", attrs: { x, y, r: RADIUS }, styles: circle, ignoreEvent: true },
    {
      type: "text",
      attrs: { x, y: y + 1, text: letter, align: "center", baseline: "middle" },
      styles: { ...text, ...bare, ...padding },
      ignoreEvent: true,
    },
  ];
}
