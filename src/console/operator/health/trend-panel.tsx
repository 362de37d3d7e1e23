/** A chart of the last minutes with a legend for the moment under the pointer. */
import { type ReactElement, useCallback, useMemo, useState } from "react";
import { Notice, Panel } from "../../components/panel.tsx";
import { Plot } from "../../components/plot.tsx";
import { localTime } from "../../data/local-time.ts";
import styles from "./health.module.css";
import { type TrendSeries, trendPlot } from "./trend-plot.ts";
import type { Trend } from "./trends.ts";

export interface TrendPanelProps {
  readonly title: string;
  /** Lines and value format; a constant. */
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
          <Notice kind="loading">Collecting data…</Notice>
        </div>
      ) : (
        <Canvas
          label={`${title}: current values are in the legend`}
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
  return seconds === undefined ? "" : localTime(seconds * 1_000);
}

interface CanvasProps extends Pick<TrendPanelProps, "series" | "seconds" | "trends"> {
  readonly label: string;
  readonly onTime: (index: number | null) => void;
}

function Canvas({ label, series, seconds, trends, onTime }: CanvasProps): ReactElement {
  const columns = useMemo(
    (): [number[], ...(number | null)[][]] => [[...seconds], ...trends.map((trend) => [...trend])],
    [seconds, trends],
  );
  const options = useCallback(() => trendPlot(series), [series]);
  const shown = { label, options, columns, onIndex: onTime };
  return <Plot className={styles.canvas} {...shown} />;
}
