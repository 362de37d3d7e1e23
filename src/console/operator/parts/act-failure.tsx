/** Why something was not done, with the field that the exchange names. */
import type { ReactElement } from "react";
import { RialtoError } from "../../../client/index.ts";
import styles from "./parts.module.css";

export interface ActFailureProps {
  readonly failure: Error | null;
  /** Fields that say it themselves, beside their input. */
  readonly shownBeside?: readonly string[];
}

export function ActFailure({ failure, shownBeside = [] }: ActFailureProps): ReactElement | null {
  if (failure === null) return null;
  const field = failure instanceof RialtoError ? failure.field : null;
  if (field !== null && shownBeside.includes(field)) {
    return (
      <p role="alert" className={styles.failure}>
        Not done: see what is marked above.
      </p>
    );
  }
  return (
    <p role="alert" className={styles.failure}>
      {failure.message}
      {field === null || failure.message.includes(field) ? "" : ` (${field})`}
    </p>
  );
}
