/** The chart of days: commissions as bars, volume as a line with its own scale. */
import uPlot from "uplot";
import { type PlotOptions, plotAxis } from "../../components/plot.tsx";
import { themeColor } from "../../shell/theme.tsx";

const HALF_DAY_S = 43_200;
const BAR_SHARE = 0.62;
const BAR_WIDTH_MAX = 48;
const AXIS_WIDTH = 58;
const AXIS_HEIGHT = 28;
/** Days between labels: uPlot uses the first that fits. */
const DAY_STEPS = [1, 2, 7, 14, 30].map((days) => days * 2 * HALF_DAY_S);

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });
const DAY_TEXT = new Intl.DateTimeFormat("en", {
  month: "short",
  day: "numeric",
  timeZone: "UTC",
});

/** Chart options in the colours of the current theme. */
export function daysPlot(): PlotOptions {
  const [axis, line] = [plotAxis(), themeColor("--line")];
  const amounts = (_: uPlot, values: readonly number[]): string[] =>
    values.map((value) => COMPACT.format(value));
  return {
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    scales: {
      x: { time: true, range: (_, min, max) => [min - HALF_DAY_S, max + HALF_DAY_S] },
      commission: { range: amountRange },
      volume: { range: amountRange },
    },
    axes: [
      {
        ...axis,
        size: AXIS_HEIGHT,
        grid: { show: false },
        incrs: DAY_STEPS,
        values: (_, seconds) => seconds.map((second) => DAY_TEXT.format(second * 1000)),
      },
      {
        ...axis,
        scale: "commission",
        size: AXIS_WIDTH,
        grid: { stroke: line, width: 1 },
        values: amounts,
      },
      {
        ...axis,
        scale: "volume",
        side: 1,
        size: AXIS_WIDTH,
        grid: { show: false },
        values: amounts,
      },
    ],
    series: [
      {},
      {
        scale: "commission",
        fill: themeColor("--accent"),
        stroke: themeColor("--accent"),
        width: 0,
        paths: uPlot.paths.bars?.({
          size: [BAR_SHARE, BAR_WIDTH_MAX],
        }) as uPlot.Series.PathBuilder,
        points: { show: false },
      },
      { scale: "volume", stroke: themeColor("--info"), width: 2, points: { size: 5 } },
    ],
  };
}

/** From zero, or below if reversals outweigh a day. */
function amountRange(_: uPlot, min: number | null, max: number | null): [number, number] {
  const [low, high] = [Math.min(0, min ?? 0), Math.max(0, max ?? 0)];
  const room = (high - low) * 0.08;
  return low === high ? [0, 1] : [low < 0 ? low - room : 0, high + room];
}
