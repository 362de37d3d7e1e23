/** Cells shared by several reports. */
import type { ReactElement } from "react";
import { utcTime } from "../../data/utc.ts";
import { groupDecimal, toneOf } from "../../decimals/format.ts";
import styles from "./report-table.module.css";

export function UtcCell({ ms }: { readonly ms: number }): ReactElement {
  return (
    <time dateTime={new Date(ms).toISOString()} className={styles.dim}>
      {utcTime(ms).slice(0, -4)}
    </time>
  );
}

/** Red if negative. */
export function EarnedCell(props: {
  readonly amount: string;
  readonly coin: string;
}): ReactElement {
  const { amount, coin } = props;
  return (
    <span className={styles.amount} data-tone={toneOf(amount)}>
      {groupDecimal(amount)} {coin}
    </span>
  );
}

export function StatusCell({ status }: { readonly status: string }): ReactElement {
  return (
    <span className={styles.status} data-status={status}>
      {status}
    </span>
  );
}
