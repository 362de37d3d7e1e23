/** Keyboard shortcuts, ignored while typing. */
import { type ReactElement, useEffect, useState } from "react";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Switch } from "../components/field.tsx";
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
  // A dialog that closes keeps the focus until the next frame.
  if (target.closest("dialog:not([open])") !== null) return false;
  return target.matches("input:not([type=radio]):not([type=range]), select, textarea, dialog *");
}

const KEYS: readonly (readonly [key: string, what: string])[] = [
  ["b", "Buy"],
  ["s", "Sell"],
  ["1 2 3 4", "Size: 25%, 50%, 75%, all"],
  ["l", "Limit order"],
  ["m", "Market order"],
  ["p", "Go to price"],
  ["q", "Go to quantity"],
  ["Esc", "Leave a field, so that keys work again"],
  ["c", "Clear the form"],
  ["x", "Close the position"],
  ["C", "Cancel all orders here (twice)"],
  ["a", "Set a price alert"],
  ["/", "Find a market"],
  ["?", "Show shortcuts"],
];

const TRADING_KEYS: typeof KEYS = [
  ["B", "Buy with the form as it is"],
  ["S", "Sell with the form as it is"],
];

const STORED = "rialto.keys-trade";

/** Whether keys place orders: off until the user wants it. */
export const keysTrade = (): boolean => localStorage.getItem(STORED) === "on";

/** Escape in a field of the page ends typing; in a dialog it closes the dialog. */
function leaveField({ key, target }: KeyboardEvent): void {
  if (key !== "Escape" || !(target instanceof HTMLInputElement)) return;
  if (target.closest("dialog") === null) target.blur();
}

/** The list of shortcuts; also opened with `?`. */
export function ShortcutList(): ReactElement {
  const [open, setOpen] = useState(false);
  const [actions] = useState(() => ({ "?": () => setOpen(true) }));
  useShortcuts(actions);
  useEffect(() => {
    addEventListener("keydown", leaveField);
    return () => removeEventListener("keydown", leaveField);
  }, []);
  return (
    <>
      <Button tone="quiet" size="small" onClick={() => setOpen(true)}>
        Shortcuts
      </Button>
      <Dialog title="Keyboard shortcuts" open={open} onClose={() => setOpen(false)}>
        <Keys of={KEYS} />
        <TradingKeys />
        <p className={styles.note}>Keys do nothing while you type in a field or a dialog.</p>
      </Dialog>
    </>
  );
}

function Keys({ of }: { readonly of: typeof KEYS }): ReactElement {
  return (
    <dl className={styles.keys}>
      {of.map(([key, what]) => (
        <div key={key}>
          <dt>
            {key.split(" ").map((each) => (
              <kbd key={each}>{each}</kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}

function TradingKeys(): ReactElement {
  const [on, setOn] = useState(keysTrade);
  const change = (next: boolean): void => {
    localStorage.setItem(STORED, next ? "on" : "off");
    setOn(next);
  };
  return (
    <div className={styles.trading}>
      <Switch label="Keys that place orders" checked={on} onChange={change} />
      {on ? <Keys of={TRADING_KEYS} /> : null}
    </div>
  );
}
