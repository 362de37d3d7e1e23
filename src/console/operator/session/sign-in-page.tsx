/** Signing in to the operator plane: its token, and a name for the audit. */
import { type FormEvent, type ReactElement, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Field, Switch } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { ThemeSwitch } from "../../shell/theme.tsx";
import { wordsOf } from "./sign-in-failure.ts";
import styles from "./sign-in-page.module.css";
import type { OperatorLogin } from "./stored-token.ts";

/** As the operator plane takes it in `X-Operator`. */
const ACTOR = /^[A-Za-z0-9._@:/+-]{1,64}$/;
/** What a header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;

export interface SignInPageProps {
  /** Rejects with a text for people. */
  readonly onSignIn: (login: OperatorLogin, keep: boolean) => Promise<void>;
  /** Why a token that was kept is not taken any more. */
  readonly failure: string | null;
}

export function SignInPage({ onSignIn, failure }: SignInPageProps): ReactElement {
  const [login, setLogin] = useState<OperatorLogin>({ token: "", actor: "operator" });
  const [keep, setKeep] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(failure);
  const { token, actor } = login;
  const wrongActor = ACTOR.test(actor) ? null : "1 to 64 of A-Z a-z 0-9 . _ @ : / + -";
  const wrongToken = token === "" || TOKEN.test(token) ? null : "no token looks like this";
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await onSignIn(login, keep);
    } catch (reason) {
      setError(wordsOf(reason));
      setBusy(false);
    }
  };
  return (
    <main className={styles.page}>
      <Panel title="Rialto operator" actions={<ThemeSwitch />} className={styles.panel}>
        <form className={styles.form} onSubmit={(event) => void submit(event)}>
          <p className={styles.hint}>
            Whoever has the token runs this venue. It is in <code>operator.token</code> in the data
            folder, unless <code>RIALTO_OPERATOR_TOKEN</code> was set.
          </p>
          <Field
            label="Operator token"
            type="password"
            value={token}
            error={wrongToken}
            onText={(text) => setLogin({ ...login, token: text.trim() })}
          />
          <Field
            label="Your name"
            value={actor}
            error={wrongActor}
            hint="It stands in the audit beside everything that you do."
            onText={(text) => setLogin({ ...login, actor: text.trim() })}
          />
          <Switch label="Keep it in this tab until I close it" checked={keep} onChange={setKeep} />
          {error === null ? null : (
            <p role="alert" className={styles.error}>
              {error}
            </p>
          )}
          <Button
            type="submit"
            tone="accent"
            size="large"
            busy={busy}
            disabled={token === "" || wrongToken !== null || wrongActor !== null}
          >
            Sign in
          </Button>
        </form>
      </Panel>
    </main>
  );
}
