/** A button in a table row: runs one action, shows the result, and refreshes the account lists. */
import { type ReactElement, type ReactNode, useEffect, useState } from "react";
import { Button, type ButtonProps } from "../../components/button.tsx";
import { useToast } from "../../components/toast.tsx";
import { useMutation } from "../../data/mutation.ts";
import { toOrderError } from "../form/order-error.ts";
import { useMarket } from "../market.tsx";

export interface RowActionProps extends Pick<ButtonProps, "tone"> {
  readonly children: ReactNode;
  /** For screen readers: exactly what it does. */
  readonly label: string;
  /** Asked on the button first, for actions that cost money and cannot be undone. */
  readonly confirm?: string;
  /** Resolves to the toast. */
  readonly act: () => Promise<string>;
}

const CONFIRM_MS = 5_000;

export function RowAction(props: RowActionProps): ReactElement {
  const { children, label, confirm, act, tone } = props;
  const { refreshAccount } = useMarket();
  const toast = useToast();
  const { busy, run } = useMutation((error) => toast(toOrderError(error).text, "bad"));
  const [confirming, setConfirming] = useState(false);
  useEffect(() => {
    if (!confirming) return;
    const timer = setTimeout(() => setConfirming(false), CONFIRM_MS);
    return () => clearTimeout(timer);
  }, [confirming]);
  const press = (): void => {
    const isFirst = confirm !== undefined && !confirming;
    setConfirming(isFirst);
    if (!isFirst) void run(act).then(refreshAccount);
  };
  return (
    <Button
      size="small"
      tone={tone ?? "plain"}
      aria-label={confirming ? `${confirm} ${label}` : label}
      busy={busy}
      onClick={press}
      onBlur={() => setConfirming(false)}
    >
      {confirming ? confirm : children}
    </Button>
  );
}
