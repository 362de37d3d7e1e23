/** A button that asks for confirmation, acts, and shows the result. */
import { type ReactElement, type ReactNode, useState } from "react";
import { Button, type ButtonProps } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { MutationForm } from "./mutation-form.tsx";

export interface ConfirmButtonProps extends Pick<ButtonProps, "tone" | "size" | "disabled"> {
  readonly children: ReactNode;
  /** For screen readers, where the text alone is ambiguous. */
  readonly label?: string;
  readonly title: string;
  /** What will happen. */
  readonly consequence: ReactNode;
  /** On the confirming button: "Freeze user 1001". */
  readonly confirm: string;
  /** Asks for a reason, which goes into the audit log. */
  readonly asksReason?: boolean | "optional";
  /** Another name for it. */
  readonly reasonLabel?: string;
  /** Resolves to the toast. */
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
  const { reasonLabel = "Reason" } = props;
  const [reason, setReason] = useState("");
  const finish = (): void => {
    onClose();
    onDone?.();
  };
  return (
    <MutationForm
      submit={confirm}
      tone={tone === "danger" ? "sell" : "accent"}
      disabled={asksReason === true && reason.trim() === ""}
      act={() => act(reason)}
      onDone={finish}
      onCancel={onClose}
    >
      {(errorOf) => (
        <>
          <div>{consequence}</div>
          {asksReason === false ? null : (
            <Field
              label={asksReason === "optional" ? `${reasonLabel} (optional)` : reasonLabel}
              value={reason}
              error={errorOf("reason") ?? errorOf("note")}
              hint="Recorded in the audit log."
              maxLength={500}
              onText={setReason}
            />
          )}
        </>
      )}
    </MutationForm>
  );
}

/** The reason as a field of a call, if there is one. */
export function given(reason: string): { readonly reason?: string } {
  return reason.trim() === "" ? {} : { reason: reason.trim() };
}
