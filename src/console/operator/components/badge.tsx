/** A coloured one-word status. */
import type { ReactElement, ReactNode } from "react";
import styles from "./layout.module.css";

export interface BadgeProps {
  readonly tone: "good" | "warn" | "bad" | "plain";
  readonly children: ReactNode;
}

export function Badge({ tone, children }: BadgeProps): ReactElement {
  return (
    <span className={styles.badge} data-tone={tone}>
      {children}
    </span>
  );
}
