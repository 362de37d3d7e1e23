/** The chart of days with its legend, which says the day under the pointer in exact numbers. */
import { type ReactElement, useEffect, useMemo, useRef, useState } from "react";
import { groupDecimal } from "../../components/decimal-text.ts";
import { onThemeChange } from "../../shell/theme.tsx";
import { chartColumns, type DayOfChart } from "./day-sums.ts";
import { DaysPainter } from "./days-painter.ts";
import styles from "./earnings-panel.module.css";
import "uplot/dist/uPlot.min.css";

/** Oldest first. */
export function DaysChart({ days }: { readonly days: readonly DayOfChart[] }): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const painter = useRef<DaysPainter | null>(null);
  const [index, setIndex] = useState<number | null>(null);
  const columns = useMemo(() => chartColumns(days), [days]);
  const latest = useRef(columns);
  latest.current = columns;
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const made = new DaysPainter(element, latest.current, setIndex);
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
  }, []);
  useEffect(() => painter.current?.draw(columns), [columns]);
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
      <div
        ref={host}
        className={styles.canvas}
        role="img"
        aria-label={`Commission and volume of ${days.length} days; the table has the numbers`}
      />
    </div>
  );
}
