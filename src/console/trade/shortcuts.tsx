/** Keyboard shortcuts, ignored while typing. */
import { type ReactElement, useEffect, useState } from "react";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import styles from "./shortcuts.module.css";

/** Runs the action of a pressed key. Memoize the record. */
export function useShortcuts(actions: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [actions]);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches("input:not([type=radio]):not([type=range]), select, textarea, dialog *");
}

const KEYS: readonly (readonly [key: string, what: string])[] = [
  ["b", "Buy"],
  ["s", "Sell"],
  ["l", "Limit order"],
  ["m", "Market order"],
  ["p", "Go to price"],
  ["q", "Go to quantity"],
  ["c", "Clear the form"],
  ["/", "Find a market"],
  ["?", "Show shortcuts"],
];

/** The list of shortcuts; also opened with `?`. */
export function ShortcutList(): ReactElement {
  const [open, setOpen] = useState(false);
  const [actions] = useState(() => ({ "?": () => setOpen(true) }));
  useShortcuts(actions);
  return (
    <>
      <Button tone="quiet" size="small" onClick={() => setOpen(true)}>
        Shortcuts
      </Button>
      <Dialog title="Keyboard shortcuts" open={open} onClose={() => setOpen(false)}>
        <dl className={styles.keys}>
          {KEYS.map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </>
  );
}
