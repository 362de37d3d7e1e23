/** Lines over the last minutes on their canvas, from zero up. */
import uPlot from "uplot";
import { themeColor } from "../../shell/theme.tsx";

const AXIS_WIDTH = 58;
const AXIS_HEIGHT = 26;
/** Between labels of time: uPlot takes the first that leaves them enough room. */
const TIME_STEPS = [15, 30, 60, 120];
const ROOM_ABOVE = 1.08;
/** So that the first looks do not fill the whole width. */
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

export class TrendPainter {
  readonly #host: HTMLElement;
  readonly #series: TrendSeries;
  readonly #onTime: (index: number | null) => void;
  #columns: uPlot.AlignedData;
  #plot: uPlot;

  /** `onTime` is told over which moment the pointer is. */
  constructor(
    host: HTMLElement,
    series: TrendSeries,
    columns: uPlot.AlignedData,
    onTime: (index: number | null) => void,
  ) {
    this.#host = host;
    this.#series = series;
    this.#onTime = onTime;
    this.#columns = columns;
    this.#plot = this.#make();
  }

  draw(columns: uPlot.AlignedData): void {
    this.#columns = columns;
    this.#plot.setData(columns);
  }

  resize(): void {
    this.#plot.setSize(this.#size());
  }

  /** In the colours of the present theme. */
  recolor(): void {
    this.#plot.destroy();
    this.#plot = this.#make();
  }

  destroy(): void {
    this.#plot.destroy();
  }

  #make(): uPlot {
    return new uPlot(this.#options(), this.#columns, this.#host);
  }

  #size(): { width: number; height: number } {
    return { width: this.#host.clientWidth, height: this.#host.clientHeight };
  }

  #options(): uPlot.Options {
    const { lines, text } = this.#series;
    const [ink, line] = [themeColor("--text-dim"), themeColor("--line")];
    const axis = { stroke: ink, ticks: { stroke: line }, font: "11px system-ui, sans-serif" };
    return {
      ...this.#size(),
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false },
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
      hooks: { setCursor: [({ cursor }) => this.#onTime(cursor.idx ?? null)] },
    };
  }
}
