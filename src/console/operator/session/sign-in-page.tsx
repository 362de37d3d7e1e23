/** Signs in to the operator API: its token, and a name for the audit log. */
import { type FormEvent, type ReactElement, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Field, Switch } from "../../components/field.tsx";
import { ErrorText } from "../../components/form-error.tsx";
import { Panel } from "../../components/panel.tsx";
import { useMutation } from "../../data/mutation.ts";
import { ThemeSwitch } from "../../shell/theme.tsx";
import { signInMessage } from "./sign-in-failure.ts";
import styles from "./sign-in-page.module.css";
import type { OperatorLogin } from "./stored-token.ts";

/** What `X-Operator` accepts. */
const ACTOR = /^[A-Za-z0-9._@:/+-]{1,64}$/;
/** What a header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;

export interface SignInPageProps {
  readonly onSignIn: (login: OperatorLogin, keep: boolean) => Promise<void>;
  /** Why a stored token was rejected. */
  readonly failure: string | null;
}

export function SignInPage({ onSignIn, failure }: SignInPageProps): ReactElement {
  const [login, setLogin] = useState<OperatorLogin>({ token: "", actor: "operator" });
  const [keep, setKeep] = useState(false);
  const { busy, error, run } = useMutation();
  const { token, actor } = login;
  const wrongActor = ACTOR.test(actor) ? null : "Use 1 to 64 characters: A-Z a-z 0-9 . _ @ : / + -";
  const wrongToken = token === "" || TOKEN.test(token) ? null : "This does not look like a token.";
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(() => onSignIn(login, keep));
  };
  const message = error === null ? (busy ? null : failure) : signInMessage(error);
  return (
    <main className={styles.page}>
      <h1 className="visually-hidden">Sign in</h1>
      <Panel title="Rialto operator" actions={<ThemeSwitch />} className={styles.panel}>
        <form className={styles.form} onSubmit={submit}>
          <p className={styles.hint}>
            Use your own token, or the one in <code>operator.token</code> in the data folder, which
            gives full control of this exchange. If <code>RIALTO_OPERATOR_TOKEN</code> is set, it
            replaces that one.
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
            hint="Recorded in the audit log with everything you do. Your own token has your name."
            onText={(text) => setLogin({ ...login, actor: text.trim() })}
          />
          <Switch
            label="Keep me signed in until I close this tab"
            checked={keep}
            onChange={setKeep}
          />
          <ErrorText text={message} />
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
