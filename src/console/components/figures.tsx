/** Key figures: name, value and note. */
import type { ReactElement, ReactNode } from "react";
import styles from "./figures.module.css";

export interface FigureProps {
  readonly name: ReactNode;
  readonly children: ReactNode;
  readonly note?: ReactNode;
  readonly tone?: "buy" | "sell" | "warn" | "plain";
}

/** A figure inside `Figures`. */
export function Figure({ name, children, note, tone = "plain" }: FigureProps): ReactElement {
  return (
    <div className={styles.figure}>
      <dt>{name}</dt>
      <dd data-tone={tone}>
        {children}
        {note === undefined ? null : <span className={styles.note}>{note}</span>}
      </dd>
    </div>
  );
}

export interface FiguresProps {
  readonly label: string;
  /** A line of small figures, framed cards, or rows of name and value. */
  readonly shape: "line" | "cards" | "rows";
  readonly children: ReactNode;
}

export function Figures({ label, shape, children }: FiguresProps): ReactElement {
  return (
    <dl className={styles[shape]} aria-label={label}>
      {children}
    </dl>
  );
}
