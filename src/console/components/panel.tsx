/** A framed section with a heading, and the notices that replace its content. */
import type { ReactElement, ReactNode } from "react";
import { Button } from "./button.tsx";
import styles from "./panel.module.css";

export interface PanelProps {
  readonly title?: ReactNode;
  /** Beside the title. */
  readonly actions?: ReactNode;
  /** For screen readers if there is no title. */
  readonly label?: string;
  readonly className?: string | undefined;
  /** Without padding. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

export function Panel(props: PanelProps): ReactElement {
  const { title, actions, label, className, flush = false, children } = props;
  return (
    <section className={[styles.panel, className].filter(Boolean).join(" ")} aria-label={label}>
      {title === undefined && actions === undefined ? null : (
        <header className={styles.header}>
          {title === undefined ? null : <h2>{title}</h2>}
          {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
        </header>
      )}
      <div className={flush ? styles.flush : styles.body}>{children}</div>
    </section>
  );
}

/** Why there is no content, and what to do next. */
export interface NoticeProps {
  readonly kind: "empty" | "loading" | "error" | "disconnected" | "limited";
  readonly children: ReactNode;
  readonly onRetry?: (() => void) | undefined;
  /** One line beside content instead of in its place. */
  readonly slim?: boolean;
}

export function Notice(props: NoticeProps): ReactElement {
  const { kind, children, onRetry, slim = false } = props;
  const urgent = kind === "error" || kind === "disconnected";
  return (
    <div
      className={slim ? styles.strip : styles.notice}
      data-kind={kind}
      role={urgent ? "alert" : "status"}
    >
      {kind === "loading" ? <span className={styles.spinner} aria-hidden="true" /> : null}
      <div>{children}</div>
      {onRetry === undefined ? null : (
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
