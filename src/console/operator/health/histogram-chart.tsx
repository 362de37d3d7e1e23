/** A histogram: one bar per bucket, its bound below, and p50 and p99. */
import type { ReactElement } from "react";
import { countText, latencyText } from "../components/format.ts";
import styles from "./health.module.css";
import { bucketCounts, type Histogram, observations, quantileText } from "./histogram.ts";

export interface HistogramChartProps {
  readonly name: string;
  readonly histogram: Histogram;
}

export function HistogramChart({ name, histogram }: HistogramChartProps): ReactElement {
  const counts = bucketCounts(histogram);
  const highest = Math.max(...counts, 1);
  const [p50, p99] = [0.5, 0.99].map((share) => quantileText(histogram, share, latencyText));
  const total = countText(observations(histogram));
  return (
    <figure className={styles.histogram} aria-label={name}>
      <figcaption className={styles.histogramHead}>
        <h3>{name}</h3>
        <span>
          p50 <strong>{p50}</strong>
        </span>
        <span>
          p99 <strong>{p99}</strong>
        </span>
        <span className={styles.cardNote}>{total} samples</span>
      </figcaption>
      <div className={styles.bars} aria-hidden="true">
        {counts.map((count, i) => {
          const text = boundText(histogram, i);
          return (
            <div key={text} className={styles.bucket} title={`${text}: ${countText(count)}`}>
              <div className={styles.barRoom}>
                <div
                  className={styles.bar}
                  data-empty={count === 0 || undefined}
                  style={{ height: `${(100 * count) / highest}%` }}
                />
              </div>
              <span className={styles.bound}>{text}</span>
            </div>
          );
        })}
      </div>
    </figure>
  );
}

/** The inclusive upper bound; the last bucket begins where the others end. */
function boundText(histogram: Histogram, at: number): string {
  const bound = histogram[at]?.bound ?? 0;
  if (Number.isFinite(bound)) return latencyText(bound);
  return `> ${latencyText(histogram[at - 1]?.bound ?? 0)}`;
}
