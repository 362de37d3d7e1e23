/** A form that makes one change on the exchange, with its error and its buttons. */
import type { FormEvent, ReactElement, ReactNode } from "react";
import { Button, type ButtonProps } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { FormError, fieldError } from "../../components/form-error.tsx";
import { type Message, useMutation } from "../../data/mutation.ts";
import layout from "./layout.module.css";

/** The error of a field, which shows it; other errors go above the buttons. */
export type ErrorOf = (field: string) => string | null;

export interface MutationFormProps extends Pick<ButtonProps, "tone" | "disabled"> {
  /** Makes the change; resolves to the toast. */
  readonly act: () => Promise<Message>;
  readonly onDone?: () => void;
  readonly onCancel?: () => void;
  /** On the submit button. */
  readonly submit: ReactNode;
  readonly children: (errorOf: ErrorOf) => ReactNode;
}

export function MutationForm(props: MutationFormProps): ReactElement {
  const { act, onDone, onCancel, submit, tone = "accent", disabled, children } = props;
  const { busy, error, run } = useMutation();
  const onSubmit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (await run(act)) onDone?.();
  };
  const shown: string[] = [];
  const content = children((field) => {
    shown.push(field);
    return fieldError(error, field);
  });
  return (
    <form className={layout.form} onSubmit={(event) => void onSubmit(event)}>
      {content}
      <FormError error={error} fields={shown} />
      <div className={layout.ends}>
        {onCancel === undefined ? null : <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" tone={tone} busy={busy} disabled={disabled}>
          {submit}
        </Button>
      </div>
    </form>
  );
}

export interface MutationDialogProps extends Omit<MutationFormProps, "onCancel"> {
  readonly title: string;
  readonly onClose: () => void;
}

/** Such a form in a dialog, which closes when the change is made. */
export function MutationDialog(props: MutationDialogProps): ReactElement {
  const { title, onClose, onDone, ...form } = props;
  const finish = (): void => {
    onDone?.();
    onClose();
  };
  return (
    <Dialog title={title} open onClose={onClose}>
      <MutationForm {...form} onDone={finish} onCancel={onClose} />
    </Dialog>
  );
}
