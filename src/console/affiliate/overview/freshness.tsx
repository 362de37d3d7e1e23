/** How old the numbers of the page are, in words. */
import type { ReactElement } from "react";
import { LIVE_INTERVAL_MS } from "../affiliate-query.ts";
import styles from "./freshness.module.css";

export interface FreshnessProps {
  /** When the last answer came, by this computer's clock. */
  readonly atMs: number;
  readonly error: Error | null;
}

export function Freshness({ atMs, error }: FreshnessProps): ReactElement {
  const time = new Date(atMs).toLocaleTimeString(undefined, { hour12: false });
  return (
    <p className={styles.line} data-live={error === null}>
      <span className={styles.dot} aria-hidden="true" />
      {error === null
        ? `Live: asked every ${LIVE_INTERVAL_MS / 1000} s, last at ${time}`
        : `Not live: the last answer is of ${time}`}
    </p>
  );
}
