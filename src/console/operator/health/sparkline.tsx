/** A sparkline of the last minutes, beside its figure. */
import type { ReactElement } from "react";
import styles from "./health.module.css";
import { sparkPath } from "./spark-path.ts";

export function Sparkline({ values }: { readonly values: readonly number[] }): ReactElement {
  return (
    <svg
      className={styles.spark}
      viewBox="0 0 100 30"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={sparkPath(values, 100, 30)} className={styles.sparkLine} />
    </svg>
  );
}
