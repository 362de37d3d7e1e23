/** Tabs after the WAI-ARIA pattern: arrow keys switch, the panel is labelled by its tab. */
import { type KeyboardEvent, type ReactElement, type ReactNode, useId, useRef } from "react";
import styles from "./tabs.module.css";

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: ReactNode;
}

export interface TabsProps<Id extends string> {
  /** What the tabs choose between, for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly selected: Id;
  readonly onSelect: (id: Id) => void;
  /** Beside the tabs, at the end of their row. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Tabs<Id extends string>(props: TabsProps<Id>): ReactElement {
  const { label, tabs, selected, onSelect, actions, children } = props;
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const moveBy = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const from = tabs.findIndex((tab) => tab.id === selected);
    const to = (from + step + tabs.length) % tabs.length;
    onSelect((tabs[to] as Tab<Id>).id);
    list.current?.querySelectorAll<HTMLButtonElement>("[role=tab]")[to]?.focus();
  };
  return (
    <div className={styles.tabs}>
      <div className={styles.row}>
        <div role="tablist" aria-label={label} className={styles.list} ref={list}>
          {tabs.map((tab) => (
            <button
              key={tab.id}
              type="button"
              role="tab"
              id={`${base}-${tab.id}`}
              aria-selected={tab.id === selected}
              aria-controls={`${base}-panel`}
              tabIndex={tab.id === selected ? 0 : -1}
              className={styles.tab}
              onClick={() => onSelect(tab.id)}
              onKeyDown={moveBy}
            >
              {tab.label}
            </button>
          ))}
        </div>
        {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
      </div>
      <div
        role="tabpanel"
        id={`${base}-panel`}
        aria-labelledby={`${base}-${selected}`}
        className={styles.panel}
      >
        {children}
      </div>
    </div>
  );
}
