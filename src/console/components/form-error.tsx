/** Why something was not done, with the field that the exchange names. */
import { type ReactElement, useEffect, useRef } from "react";
import { RialtoError } from "../../client/index.ts";
import styles from "../operator/components/layout.module.css";

export interface ActFailureProps {
  readonly failure: Error | null;
  /** Fields that say it themselves, beside their input. */
  readonly shownBeside?: readonly string[];
}

export function ActFailure({ failure, shownBeside = [] }: ActFailureProps): ReactElement | null {
  if (failure === null) return null;
  const field = failure instanceof RialtoError ? failure.field : null;
  if (field !== null && shownBeside.includes(field)) {
    return <Marked failure={failure} />;
  }
  return (
    <p role="alert" className={styles.failure}>
      {failure.message}
      {field === null || failure.message.includes(field) ? "" : ` (${field})`}
    </p>
  );
}

/** Goes to the field that is marked: in a long form it may be out of sight. */
function Marked({ failure }: { readonly failure: Error }): ReactElement {
  const text = useRef<HTMLParagraphElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each failure marks a field anew
  useEffect(() => {
    const form = text.current?.closest("form");
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failure]);
  return (
    <p ref={text} role="alert" className={styles.failure}>
      Not done: see what is marked above.
    </p>
  );
}
