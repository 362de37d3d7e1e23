/** An API key that was just made: its secret is shown this once. */
import type { ReactElement } from "react";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import styles from "./new-key.module.css";

export interface NewKeyProps {
  readonly created: {
    readonly apiKey: string;
    readonly secret: string;
    readonly passphrase: string;
  };
  /** What to do with it now. */
  readonly advice: string;
  readonly onClose: () => void;
}

export function NewKey({ created, advice, onClose }: NewKeyProps): ReactElement {
  const rows = [
    { what: "API key", text: created.apiKey },
    { what: "secret", text: created.secret },
    { what: "passphrase", text: created.passphrase },
  ];
  return (
    <div className={styles.new}>
      <p role="status">
        <strong>The secret is shown only once.</strong> {advice}
      </p>
      <dl className={styles.parts}>
        {rows.map(({ what, text }) => (
          <div key={what} className={styles.part}>
            <dt>{what}</dt>
            <dd>
              <code>{text}</code>
              <CopyButton text={text} what={what} />
            </dd>
          </div>
        ))}
      </dl>
      <div className={styles.ends}>
        <Button tone="accent" size="large" onClick={onClose}>
          I have saved them
        </Button>
      </div>
    </div>
  );
}
