/** How old the page's numbers are. */
import { type ReactElement, useEffect, useState } from "react";
import { localTime } from "../../data/local-time.ts";
import { LIVE_INTERVAL_MS } from "../affiliate-query.ts";
import styles from "./freshness.module.css";

/** Older answers are shown as out of date. */
const LATE_MS = 3 * LIVE_INTERVAL_MS;

export interface FreshnessProps {
  /** When the last answer arrived, by this computer's clock. */
  readonly atMs: number;
  readonly error: Error | null;
}

export function Freshness({ atMs, error }: FreshnessProps): ReactElement {
  const [lateSinceMs, setLateSinceMs] = useState<number | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setLateSinceMs(atMs), LATE_MS);
    return () => clearTimeout(timer);
  }, [atMs]);
  const isLive = error === null && lateSinceMs !== atMs;
  const time = localTime(atMs);
  return (
    <p className={styles.line} data-live={isLive}>
      <span className={styles.dot} aria-hidden="true" />
      {isLive
        ? `Updated every ${LIVE_INTERVAL_MS / 1000} s, last at ${time}`
        : `Out of date: last updated at ${time}`}
    </p>
  );
}
