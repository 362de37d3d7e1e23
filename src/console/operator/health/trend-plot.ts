/** Plot options of the trend charts. */
import { type PlotOptions, plotAxis } from "../../components/plot.tsx";
import { themeColor } from "../../shell/theme.tsx";

const AXIS_WIDTH = 58;
const AXIS_HEIGHT = 26;
/** Seconds between labels: uPlot uses the first that fits. */
const TIME_STEPS = [15, 30, 60, 120, 300, 600];
const ROOM_ABOVE = 1.08;
/** So that the first samples do not fill the whole width. */
const SHOWN_MIN_S = 60;

const TIME_TEXT = new Intl.DateTimeFormat("en", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

export interface TrendLine {
  readonly name: string;
  /** A colour of the theme. */
  readonly color: "--accent" | "--info";
}

export interface TrendSeries {
  readonly lines: readonly TrendLine[];
  readonly text: (value: number) => string;
}

/** Chart options in the colours of the current theme. */
export function trendPlot({ lines, text }: TrendSeries): PlotOptions {
  const [axis, line] = [plotAxis(), themeColor("--line")];
  return {
    scales: {
      x: { time: true, range: (_, from, to) => [Math.min(from, to - SHOWN_MIN_S), to] },
      y: { range: (_, __, max) => [0, (max ?? 0) === 0 ? 1 : max * ROOM_ABOVE] },
    },
    axes: [
      {
        ...axis,
        size: AXIS_HEIGHT,
        grid: { show: false },
        incrs: TIME_STEPS,
        values: (_, seconds) => seconds.map((second) => TIME_TEXT.format(second * 1_000)),
      },
      {
        ...axis,
        size: AXIS_WIDTH,
        grid: { stroke: line, width: 1 },
        values: (_, values) => values.map(text),
      },
    ],
    series: [
      {},
      ...lines.map(({ color }) => ({
        stroke: themeColor(color),
        width: 2,
        points: { show: false },
      })),
    ],
  };
}
