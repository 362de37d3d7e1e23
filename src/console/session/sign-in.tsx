/** Signing in: with a demo account in one click, or with an API key. */
import { type FormEvent, type ReactElement, useState } from "react";
import type { ApiCredentials } from "../../client/index.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field, Switch } from "../components/field.tsx";
import { FormError } from "../components/form-error.tsx";
import { useMutation } from "../data/mutation.ts";
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

/** One button per demo account; nothing if there are none. */
export function DemoAccounts({ onDone }: { readonly onDone?: () => void }): ReactElement | null {
  const { demoAccounts } = useVenue();
  const session = useSession();
  const { error, run } = useMutation();
  if (demoAccounts.length === 0) return null;
  const affiliateUid = demoAccounts.at(-1)?.uid;
  return (
    <div className={styles.demo}>
      <p className={styles.hint}>Funded demo accounts on this exchange:</p>
      <div className={styles.accounts}>
        {demoAccounts.map((account) => (
          <Button
            key={account.uid}
            tone={session.apiKey === account.apiKey ? "accent" : "plain"}
            aria-pressed={session.apiKey === account.apiKey}
            onClick={async () => {
              if (await run(() => session.signIn(account, true))) onDone?.();
            }}
          >
            {account.uid === affiliateUid ? "Affiliate" : "Trader"} {account.uid}
          </Button>
        ))}
      </div>
      <FormError error={error} />
    </div>
  );
}

function KeyForm({ onDone }: { readonly onDone: () => void }): ReactElement {
  const { signIn } = useSession();
  const [keys, setKeys] = useState(NO_KEYS);
  const [remember, setRemember] = useState(false);
  const { busy, error, run } = useMutation();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!(await run(() => signIn(keys, remember)))) return;
    setKeys(NO_KEYS);
    onDone();
  };
  const isWhole = Object.values(keys).every((part) => part !== "");
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <p className={styles.hint}>
        Or use your own API key. The secret stays in this page and is never sent.
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
        label="Keep me signed in until I close this tab"
        checked={remember}
        onChange={setRemember}
      />
      <FormError error={error} />
      <Button type="submit" tone="accent" size="large" busy={busy} disabled={!isWhole}>
        Sign in
      </Button>
    </form>
  );
}
