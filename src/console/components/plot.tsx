/** A chart on a canvas that fits its container and follows the theme. */
import { type ReactElement, useEffect, useRef } from "react";
import uPlot from "uplot";
import { onThemeChange, themeColor } from "../shell/theme.tsx";
import "uplot/dist/uPlot.min.css";

/** Scales, axes and series of one chart, with colours of the current theme. */
export type PlotOptions = Pick<uPlot.Options, "tzDate" | "scales" | "axes" | "series">;

export interface PlotProps {
  readonly label: string;
  readonly className: string | undefined;
  /** Called again when the theme changes. */
  readonly options: () => PlotOptions;
  readonly columns: uPlot.AlignedData;
  /** Called with the column under the pointer. */
  readonly onIndex: (index: number | null) => void;
}

export function Plot(props: PlotProps): ReactElement {
  const { label, className, options, columns, onIndex } = props;
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(columns);
  latest.current = columns;
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const size = () => ({ width: element.clientWidth, height: element.clientHeight });
    const make = (): void => {
      plot.current?.destroy();
      const common = {
        ...size(),
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, y: false },
        hooks: { setCursor: [({ cursor }: uPlot) => onIndex(cursor.idx ?? null)] },
      };
      plot.current = new uPlot({ ...common, ...options() }, latest.current, element);
    };
    make();
    const observer = new ResizeObserver(() => plot.current?.setSize(size()));
    observer.observe(element);
    const forget = onThemeChange(make);
    return () => {
      forget();
      observer.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [options, onIndex]);
  useEffect(() => plot.current?.setData(columns), [columns]);
  return <div ref={host} className={className} role="img" aria-label={label} />;
}

/** The style of all axes. */
export function plotAxis(): uPlot.Axis {
  const ticks = { stroke: themeColor("--line") };
  return { stroke: themeColor("--text-dim"), ticks, font: "11px system-ui, sans-serif" };
}
