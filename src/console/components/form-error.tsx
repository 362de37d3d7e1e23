/** Why a form was rejected, and the field that caused it. */
import { type ReactElement, useLayoutEffect, useRef } from "react";
import { RialtoError } from "../../client/index.ts";
import styles from "./field.module.css";

/** Nothing when the text is null. */
export function ErrorText({ text }: { readonly text: string | null }): ReactElement | null {
  if (text === null) return null;
  return (
    <p role="alert" className={styles.failure}>
      {text}
    </p>
  );
}

export interface FormErrorProps {
  readonly error: Error | null;
  /** Fields that show their own error. */
  readonly fields?: readonly string[];
}

export function FormError({ error, fields = [] }: FormErrorProps): ReactElement | null {
  if (error === null) return null;
  const field = error instanceof RialtoError ? error.field : null;
  if (field !== null && fields.includes(field)) return <FieldsMarked error={error} />;
  const { message } = error;
  return (
    <ErrorText
      text={field === null || message.includes(field) ? message : `${message} (${field})`}
    />
  );
}

/** Focuses the first field with an error: in a long form it may be out of view. */
function FieldsMarked({ error }: { readonly error: Error }): ReactElement {
  const text = useRef<HTMLParagraphElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each error focuses again
  useLayoutEffect(() => {
    const form = text.current?.closest("form");
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return (
    <p ref={text} role="alert" className={styles.failure}>
      Check the highlighted fields.
    </p>
  );
}

/**
 * The exchange's objection to one field, without the field's API name: "must be a positive
 * decimal". Null if the error is about something else.
 */
export function fieldError(error: Error | null, name: string): string | null {
  if (!(error instanceof RialtoError) || error.field !== name) return null;
  const { message } = error;
  const marker = `: ${name} `;
  const at = message.indexOf(marker);
  if (at === -1) return message;
  const rest = message.slice(at + marker.length);
  return /^(is|must|has) /.test(rest) ? rest : `must be ${rest}`;
}
