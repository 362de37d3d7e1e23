/** Throughput and commit latency over the last minutes. */
import { type ReactElement, useMemo } from "react";
import { latencyText } from "../components/format.ts";
import styles from "./health.module.css";
import type { TrendSample } from "./health-sample.ts";
import { TrendPanel } from "./trend-panel.tsx";
import type { TrendSeries } from "./trend-plot.ts";
import { trendsOf } from "./trends.ts";

const THROUGHPUT: TrendSeries = {
  lines: [
    { name: "Commands", color: "--accent" },
    { name: "Requests", color: "--info" },
  ],
  text: rateText,
};

const COMMITS: TrendSeries = {
  lines: [
    { name: "p50", color: "--info" },
    { name: "p99", color: "--accent" },
  ],
  text: latencyText,
};

export function TrendPanels({
  samples,
}: {
  readonly samples: readonly TrendSample[];
}): ReactElement {
  const trends = useMemo(() => trendsOf(samples), [samples]);
  const { seconds, commandsPerSecond, requestsPerSecond, commitP50, commitP99 } = trends;
  const rates = useMemo(
    () => [commandsPerSecond, requestsPerSecond],
    [commandsPerSecond, requestsPerSecond],
  );
  const latencies = useMemo(() => [commitP50, commitP99], [commitP50, commitP99]);
  return (
    <div className={styles.trends}>
      <TrendPanel
        title="Throughput, last 30 minutes"
        series={THROUGHPUT}
        seconds={seconds}
        trends={rates}
      />
      <TrendPanel
        title="Commit to disk, last 30 minutes"
        series={COMMITS}
        seconds={seconds}
        trends={latencies}
      />
    </div>
  );
}

/** "8.6/s" */
function rateText(rate: number): string {
  return `${rate >= 100 ? Math.round(rate) : Number(rate.toFixed(1))}/s`;
}
