/** Signing in: a demo account with one press, or keys of one's own. */
import { type FormEvent, type ReactElement, useState } from "react";
import type { ApiCredentials } from "../../client/index.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field, Switch } from "../components/field.tsx";
import { useSession } from "./session.tsx";
import styles from "./sign-in.module.css";
import { useVenue } from "./venue.tsx";

const NO_KEYS: ApiCredentials = { apiKey: "", secret: "", passphrase: "" };

export interface SignInDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

export function SignInDialog({ open, onClose }: SignInDialogProps): ReactElement {
  return (
    <Dialog title="Sign in" open={open} onClose={onClose}>
      <DemoAccounts onDone={onClose} />
      <KeyForm onDone={onClose} />
    </Dialog>
  );
}

/** One button for each demo account; nothing where there are none. */
export function DemoAccounts({ onDone }: { readonly onDone?: () => void }): ReactElement | null {
  const { demoAccounts } = useVenue();
  const session = useSession();
  const [error, setError] = useState<string | null>(null);
  if (demoAccounts.length === 0) return null;
  const affiliateUid = demoAccounts.at(-1)?.uid;
  return (
    <div className={styles.demo}>
      <p className={styles.hint}>Demo accounts of this exchange; they have funds:</p>
      <div className={styles.accounts}>
        {demoAccounts.map((account) => (
          <Button
            key={account.uid}
            tone={session.apiKey === account.apiKey ? "accent" : "plain"}
            aria-pressed={session.apiKey === account.apiKey}
            onClick={() => {
              setError(null);
              session
                .signIn(account, true)
                .then(onDone, (reason: Error) => setError(reason.message));
            }}
          >
            {account.uid === affiliateUid ? "Affiliate" : "Trader"} {account.uid}
          </Button>
        ))}
      </div>
      {error === null ? null : <p role="alert">{error}</p>}
    </div>
  );
}

function KeyForm({ onDone }: { readonly onDone: () => void }): ReactElement {
  const { signIn } = useSession();
  const [keys, setKeys] = useState(NO_KEYS);
  const [remember, setRemember] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await signIn(keys, remember);
      setKeys(NO_KEYS);
      onDone();
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason));
    } finally {
      setBusy(false);
    }
  };
  const isWhole = Object.values(keys).every((part) => part !== "");
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <p className={styles.hint}>
        Or an API key of your own. Its secret stays in this page, signs here, and is never sent.
      </p>
      <Field
        label="API key"
        value={keys.apiKey}
        onText={(apiKey) => setKeys({ ...keys, apiKey: apiKey.trim() })}
      />
      <Field
        label="Secret"
        type="password"
        value={keys.secret}
        onText={(secret) => setKeys({ ...keys, secret: secret.trim() })}
      />
      <Field
        label="Passphrase"
        type="password"
        value={keys.passphrase}
        onText={(passphrase) => setKeys({ ...keys, passphrase })}
      />
      <Switch
        label="Keep the key in this tab until I close it"
        checked={remember}
        onChange={setRemember}
      />
      {error === null ? null : (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      )}
      <Button type="submit" tone="accent" size="large" busy={busy} disabled={!isWhole}>
        Sign in
      </Button>
    </form>
  );
}
