/** A button of a row: does one thing, says how it went, and has the lists read again. */
import { type ReactElement, type ReactNode, useState } from "react";
import { Button, type ButtonProps } from "../../components/button.tsx";
import { useSay } from "../../components/toast.tsx";
import { useDesk } from "../desk.tsx";

export interface RowActionProps extends Pick<ButtonProps, "tone"> {
  readonly children: ReactNode;
  /** For screen readers: what exactly it does. */
  readonly label: string;
  /** Resolves to what is said afterwards. */
  readonly act: () => Promise<string>;
}

export function RowAction({ children, label, act, tone }: RowActionProps): ReactElement {
  const { accountChanged } = useDesk();
  const say = useSay();
  const [busy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      say(await act(), "good");
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), "bad");
    } finally {
      setBusy(false);
      accountChanged.set(accountChanged.get() + 1);
    }
  };
  return (
    <Button
      size="small"
      tone={tone ?? "plain"}
      aria-label={label}
      busy={busy}
      onClick={() => void run()}
    >
      {children}
    </Button>
  );
}
