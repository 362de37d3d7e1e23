/** The chart of days with a legend for the day under the pointer. */
import { type ReactElement, useMemo, useState } from "react";
import { Plot } from "../../components/plot.tsx";
import { groupDecimal } from "../../decimals/format.ts";
import { chartColumns, type DayOfChart } from "./day-sums.ts";
import { daysPlot } from "./days-plot.ts";
import styles from "./earnings-panel.module.css";

/** Oldest first. */
export function DaysChart({ days }: { readonly days: readonly DayOfChart[] }): ReactElement {
  const [index, setIndex] = useState<number | null>(null);
  const columns = useMemo(() => chartColumns(days), [days]);
  const last = days.at(-1);
  const day = (index === null ? undefined : days[index]) ?? last;
  return (
    <div className={styles.chart}>
      {day === undefined ? null : (
        <div className={styles.legend}>
          <span>{day.date} (UTC)</span>
          <span className={styles.key} data-series="commission">
            Commission {groupDecimal(day.commissionUsdt)} USDT
          </span>
          <span className={styles.key} data-series="volume">
            Volume {groupDecimal(day.volumeUsdt)} USDT
          </span>
        </div>
      )}
      <Plot
        label={`Commission and volume over ${days.length} days; see the table for the numbers`}
        className={styles.canvas}
        options={daysPlot}
        columns={columns}
        onIndex={setIndex}
      />
    </div>
  );
}
