/** What the check of a statement found. */
import type { ReactElement } from "react";
import type { Judgement } from "./judge-statement.ts";
import styles from "./statements.module.css";

const SIGNS = { good: "✓", open: "?", bad: "✗" } as const;

export interface VerdictProps {
  /** The file's name. */
  readonly name: string;
  readonly judgement: Judgement;
}

export function Verdict({ name, judgement }: VerdictProps): ReactElement {
  const { kind, title, lines } = judgement;
  return (
    <div className={styles.verdict} data-kind={kind} role="status">
      <h3>
        <span aria-hidden="true">{SIGNS[kind]}</span> {title}
      </h3>
      <p className={styles.file}>{name}</p>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}
