/** A button of a row: does one thing, says how it went, and has the lists read again. */
import { type ReactElement, type ReactNode, useEffect, useState } from "react";
import { Button, type ButtonProps } from "../../components/button.tsx";
import { useSay } from "../../components/toast.tsx";
import { refusalOf } from "../form/order-error.ts";
import { useDesk } from "../market.tsx";

export interface RowActionProps extends Pick<ButtonProps, "tone"> {
  readonly children: ReactNode;
  /** For screen readers: what exactly it does. */
  readonly label: string;
  /** What the button asks before it acts, for what costs money and cannot be undone. */
  readonly confirm?: string;
  /** Resolves to what is said afterwards. */
  readonly act: () => Promise<string>;
}

const ASKS_MS = 5_000;

export function RowAction(props: RowActionProps): ReactElement {
  const { children, label, confirm, act, tone } = props;
  const { accountChanged } = useDesk();
  const say = useSay();
  const [busy, setBusy] = useState(false);
  const [asks, setAsks] = useState(false);
  useEffect(() => {
    if (!asks) return;
    const timer = setTimeout(() => setAsks(false), ASKS_MS);
    return () => clearTimeout(timer);
  }, [asks]);
  const run = async (): Promise<void> => {
    if (confirm !== undefined && !asks) {
      setAsks(true);
      return;
    }
    setAsks(false);
    setBusy(true);
    try {
      say(await act(), "good");
    } catch (error) {
      say(refusalOf(error).text, "bad");
    } finally {
      setBusy(false);
      accountChanged.set(accountChanged.get() + 1);
    }
  };
  return (
    <Button
      size="small"
      tone={tone ?? "plain"}
      aria-label={asks ? `${confirm} ${label}` : label}
      busy={busy}
      onClick={() => void run()}
      onBlur={() => setAsks(false)}
    >
      {asks ? confirm : children}
    </Button>
  );
}
