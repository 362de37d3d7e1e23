/** A chart of the last minutes with its legend, which says the moment under the pointer. */
import { type ReactElement, useEffect, useMemo, useRef, useState } from "react";
import { Notice, Panel } from "../../components/panel.tsx";
import { onThemeChange } from "../../shell/theme.tsx";
import styles from "./health.module.css";
import { TrendPainter, type TrendSeries } from "./trend-painter.ts";
import type { Trend } from "./trends.ts";
import "uplot/dist/uPlot.min.css";

export interface TrendPanelProps {
  readonly title: string;
  /** A constant: its lines, and how their values are written. */
  readonly series: TrendSeries;
  readonly seconds: readonly number[];
  /** One for each line. */
  readonly trends: readonly Trend[];
}

export function TrendPanel({ title, series, seconds, trends }: TrendPanelProps): ReactElement {
  const [index, setIndex] = useState<number | null>(null);
  const at = index === null || index >= seconds.length ? seconds.length - 1 : index;
  return (
    <Panel title={title} flush>
      <div className={styles.legend}>
        {series.lines.map(({ name, color }, i) => {
          const value = trends[i]?.[at] ?? null;
          return (
            <span key={name} className={styles.key} data-color={color}>
              {name} <strong>{value === null ? "–" : series.text(value)}</strong>
            </span>
          );
        })}
        <span className={styles.cardNote}>{index === null ? "now" : timeText(seconds[at])}</span>
      </div>
      {seconds.length < 2 ? (
        <div className={styles.canvas}>
          <Notice kind="loading">Looking a few times first…</Notice>
        </div>
      ) : (
        <Canvas
          label={`${title}: the legend has the present numbers`}
          series={series}
          seconds={seconds}
          trends={trends}
          onTime={setIndex}
        />
      )}
    </Panel>
  );
}

function timeText(seconds: number | undefined): string {
  if (seconds === undefined) return "";
  return new Date(seconds * 1_000).toLocaleTimeString(undefined, { hour12: false });
}

interface CanvasProps extends Pick<TrendPanelProps, "series" | "seconds" | "trends"> {
  readonly label: string;
  readonly onTime: (index: number | null) => void;
}

function Canvas({ label, series, seconds, trends, onTime }: CanvasProps): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const painter = useRef<TrendPainter | null>(null);
  const columns = useMemo(
    (): [number[], ...(number | null)[][]] => [[...seconds], ...trends.map((trend) => [...trend])],
    [seconds, trends],
  );
  const latest = useRef(columns);
  latest.current = columns;
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const made = new TrendPainter(element, series, latest.current, onTime);
    painter.current = made;
    const observer = new ResizeObserver(() => made.resize());
    observer.observe(element);
    const forget = onThemeChange(() => made.recolor());
    return () => {
      forget();
      observer.disconnect();
      made.destroy();
      painter.current = null;
    };
  }, [series, onTime]);
  useEffect(() => painter.current?.draw(columns), [columns]);
  return <div ref={host} className={styles.canvas} role="img" aria-label={label} />;
}
