/**
 * A modal dialog on the browser's own element: focus stays inside, Escape closes. It begins at the
 * element with `data-focus`.
 */
import { type ReactElement, type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "./button.tsx";
import styles from "./dialog.module.css";

export interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  /** Shown only once: a button inside closes it, Escape does not. */
  readonly mustBeAnswered?: boolean;
  /** At the lower edge of the window; what it shows lives on while it is closed. */
  readonly sheet?: boolean;
  readonly children: ReactNode;
}

export function Dialog({
  title,
  open,
  onClose,
  mustBeAnswered = false,
  sheet = false,
  children,
}: DialogProps): ReactElement {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog === null || dialog.open === open) return;
    if (open) {
      dialog.showModal();
      // React's own `autoFocus` comes before the dialog is shown.
      dialog.querySelector<HTMLElement>("[data-focus]")?.focus();
    } else dialog.close();
  }, [open]);
  return (
    <dialog
      ref={element}
      className={sheet ? `${styles.dialog} ${styles.sheet}` : styles.dialog}
      aria-labelledby={titleId}
      closedby={mustBeAnswered ? "none" : "closerequest"}
      onClose={(event) => {
        // React also reports the end of a dialog within this one.
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className={styles.header}>
        <h2 id={titleId}>{title}</h2>
        {mustBeAnswered ? null : (
          <Button tone="quiet" size="small" aria-label="Close" onClick={onClose}>
            ✕
          </Button>
        )}
      </div>
      <div className={styles.body}>{open || sheet ? children : null}</div>
    </dialog>
  );
}
