/** Adds a webhook or gives it a new secret; a secret is shown once. */
import { type ReactElement, useState } from "react";
import type { CreateWebhookAnswer } from "../../../client/index.ts";
import { WEBHOOK_ACCOUNTS_MAX, WEBHOOK_KINDS, type WebhookKind } from "../../../domain/index.ts";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Switch } from "../../components/field.tsx";
import layout from "../components/layout.module.css";
import { MutationForm } from "../components/mutation-form.tsx";
import { useOperator } from "../session/operator-session.tsx";
import styles from "./webhooks.module.css";

export interface AddDialogProps {
  readonly onClose: () => void;
  readonly onAdded: (webhookId: string) => void;
}

export function AddDialog({ onClose, onAdded }: AddDialogProps): ReactElement {
  const [created, setCreated] = useState<CreateWebhookAnswer | null>(null);
  const keep = (answer: CreateWebhookAnswer): void => {
    setCreated(answer);
    onAdded(answer.webhookId);
  };
  return (
    <Dialog title="Add a webhook" open onClose={onClose} mustBeAnswered={created !== null}>
      {created === null ? (
        <AddForm onCreated={keep} onClose={onClose} />
      ) : (
        <NewSecret created={created} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface CreateFormProps {
  readonly onCreated: (created: CreateWebhookAnswer) => void;
  readonly onClose: () => void;
}

function AddForm({ onCreated, onClose }: CreateFormProps): ReactElement {
  const { client } = useOperator();
  const [url, setUrl] = useState("");
  const [kinds, setKinds] = useState<readonly WebhookKind[]>([]);
  const [uids, setUids] = useState("");
  const create = async (): Promise<string> => {
    const entered = uids.split(/[\s,]+/).filter((uid) => uid !== "");
    const accounts = kinds.includes("fills") ? entered.map(Number) : [];
    onCreated(await client.createWebhook({ url, kinds: [...kinds], accounts }));
    return "Webhook added";
  };
  return (
    <MutationForm
      submit="Add webhook"
      disabled={url === "" || kinds.length === 0}
      act={create}
      onCancel={onClose}
    >
      {(errorOf) => (
        <>
          <Field
            label="URL"
            value={url}
            error={errorOf("url")}
            hint="https, or http on the machine of the exchange."
            onText={setUrl}
          />
          <KindFields kinds={kinds} onKinds={setKinds} />
          {kinds.includes("fills") ? (
            <Field
              label="Fills of these users"
              value={uids}
              error={errorOf("accounts")}
              hint={`At most ${WEBHOOK_ACCOUNTS_MAX} uids, separated by commas.`}
              onText={setUids}
            />
          ) : null}
        </>
      )}
    </MutationForm>
  );
}

interface KindFieldsProps {
  readonly kinds: readonly WebhookKind[];
  readonly onKinds: (kinds: readonly WebhookKind[]) => void;
}

function KindFields({ kinds, onKinds }: KindFieldsProps): ReactElement {
  const choose = (kind: WebhookKind, isChosen: boolean): void =>
    onKinds(WEBHOOK_KINDS.filter((one) => (one === kind ? isChosen : kinds.includes(one))));
  return (
    <fieldset className={layout.group}>
      <legend>Events</legend>
      <div className={layout.inline}>
        {WEBHOOK_KINDS.map((kind) => (
          <Switch
            key={kind}
            label={kind}
            checked={kinds.includes(kind)}
            onChange={(checked) => choose(kind, checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}

export interface SecretDialogProps {
  readonly webhookId: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function SecretDialog({ webhookId, onClose, onDone }: SecretDialogProps): ReactElement {
  const [created, setCreated] = useState<CreateWebhookAnswer | null>(null);
  const keep = (answer: CreateWebhookAnswer): void => {
    setCreated(answer);
    onDone();
  };
  return (
    <Dialog title="New secret" open onClose={onClose} mustBeAnswered={created !== null}>
      {created === null ? (
        <SecretForm webhookId={webhookId} onCreated={keep} onClose={onClose} />
      ) : (
        <NewSecret created={created} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface SecretFormProps extends CreateFormProps {
  readonly webhookId: string;
}

function SecretForm({ webhookId, onCreated, onClose }: SecretFormProps): ReactElement {
  const { client } = useOperator();
  const [after, setAfter] = useState("");
  const renew = async (): Promise<string> => {
    const place = after.trim() === "" ? {} : { after: Number(after) };
    onCreated(await client.renewWebhookSecret({ webhookId, ...place }));
    return "Secret renewed";
  };
  return (
    <MutationForm submit="Renew the secret" tone="sell" act={renew} onCancel={onClose}>
      {(errorOf) => (
        <>
          <p>Requests are signed with the new secret at once; the old one is worth nothing.</p>
          <Field
            label="Go on after event (optional)"
            inputMode="numeric"
            value={after}
            error={errorOf("after")}
            hint="Skips what waits, or goes back. Empty: it goes on where it is."
            onText={setAfter}
          />
        </>
      )}
    </MutationForm>
  );
}

interface NewSecretProps {
  readonly created: CreateWebhookAnswer;
  readonly onClose: () => void;
}

function NewSecret({ created, onClose }: NewSecretProps): ReactElement {
  return (
    <div className={layout.form}>
      <p role="status">
        <strong>The secret is shown only once.</strong> The receiver of {created.webhookId} checks
        signatures with it.
      </p>
      <code className={styles.whole}>{created.secret}</code>
      <div className={layout.ends}>
        <CopyButton text={created.secret} what="secret" />
        <Button tone="accent" onClick={onClose}>
          I have saved it
        </Button>
      </div>
    </div>
  );
}
