/** A button that asks once, says what will happen, does it, and says how it went. */
import { type FormEvent, type ReactElement, type ReactNode, useState } from "react";
import { Button, type ButtonProps } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { ActFailure } from "../../components/form-error.tsx";
import { fieldError, useAct } from "../../data/mutation.ts";
import styles from "./layout.module.css";

export interface ConfirmButtonProps extends Pick<ButtonProps, "tone" | "size" | "disabled"> {
  readonly children: ReactNode;
  /** For screen readers, where the text alone does not tell what it is about. */
  readonly label?: string;
  readonly title: string;
  /** What will happen. */
  readonly consequence: ReactNode;
  /** On the button that does it: "Freeze user 1001". */
  readonly confirm: string;
  /** Asks why; the reason goes into the audit. */
  readonly asksReason?: boolean;
  /** Resolves to what is said afterwards. */
  readonly act: (reason: string) => Promise<string>;
  readonly onDone?: () => void;
}

export function ConfirmButton(props: ConfirmButtonProps): ReactElement {
  const { children, label, title, tone, size = "small", disabled } = props;
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        tone={tone ?? "plain"}
        size={size}
        disabled={disabled}
        aria-label={label}
        onClick={() => setOpen(true)}
      >
        {children}
      </Button>
      <Dialog title={title} open={open} onClose={() => setOpen(false)}>
        <Question {...props} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function Question(props: ConfirmButtonProps & { readonly onClose: () => void }): ReactElement {
  const { consequence, confirm, tone, asksReason = false, act, onDone, onClose } = props;
  const { busy, failure, run } = useAct();
  const [reason, setReason] = useState("");
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!(await run(() => act(reason)))) return;
    onClose();
    onDone?.();
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <div>{consequence}</div>
      {asksReason ? (
        <Field
          label="Reason"
          value={reason}
          error={fieldError(failure, "reason")}
          hint="It stands in the audit."
          maxLength={500}
          onText={setReason}
        />
      ) : null}
      <ActFailure failure={failure} shownBeside={asksReason ? ["reason"] : []} />
      <div className={styles.ends}>
        <Button onClick={onClose}>Leave it as it is</Button>
        <Button
          type="submit"
          tone={tone === "danger" ? "sell" : "accent"}
          busy={busy}
          disabled={asksReason && reason.trim() === ""}
        >
          {confirm}
        </Button>
      </div>
    </form>
  );
}
