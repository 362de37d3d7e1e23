/** Adds or changes a webhook, or gives it a new secret; a secret is shown once. */
import { type ReactElement, useState } from "react";
import type { CreateWebhookAnswer } from "../../../client/index.ts";
import { WEBHOOK_ACCOUNTS_MAX, WEBHOOK_KINDS, type WebhookKind } from "../../../domain/index.ts";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Switch } from "../../components/field.tsx";
import layout from "../components/layout.module.css";
import { type ErrorOf, MutationDialog, MutationForm } from "../components/mutation-form.tsx";
import { useOperator } from "../session/operator-session.tsx";
import type { Webhook } from "./webhook-texts.ts";
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
  const [settings, setSettings] = useState<Settings>({ url: "", kinds: [], uids: "" });
  const create = async (): Promise<string> => {
    onCreated(await client.createWebhook(bodyOf(settings)));
    return "Webhook added";
  };
  return (
    <MutationForm
      submit="Add webhook"
      disabled={isIncomplete(settings)}
      act={create}
      onCancel={onClose}
    >
      {(errorOf) => (
        <SettingsFields
          settings={settings}
          onSettings={setSettings}
          {...errorsOf(settings, errorOf)}
        />
      )}
    </MutationForm>
  );
}

export interface EditDialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Events that wait go to the new URL; a kind that is added begins with what happens next. */
export function EditDialog({ webhook, onClose, onDone }: EditDialogProps): ReactElement {
  const { client } = useOperator();
  const { webhookId, url, kinds, accounts } = webhook;
  const [settings, setSettings] = useState<Settings>({ url, kinds, uids: accounts.join(", ") });
  const change = async (): Promise<string> => {
    await client.updateWebhook({ webhookId, ...bodyOf(settings) });
    return "Webhook changed";
  };
  return (
    <MutationDialog
      title="Change the webhook"
      submit="Save changes"
      disabled={isIncomplete(settings)}
      act={change}
      onClose={onClose}
      onDone={onDone}
    >
      {(errorOf) => (
        <>
          <SettingsFields
            settings={settings}
            onSettings={setSettings}
            {...errorsOf(settings, errorOf)}
          />
          <p>
            The secret stays. Events that wait go to the new URL; what is chosen anew is sent from
            now on.
          </p>
        </>
      )}
    </MutationDialog>
  );
}

/** As entered. */
interface Settings {
  readonly url: string;
  readonly kinds: readonly WebhookKind[];
  readonly uids: string;
}

const isIncomplete = ({ url, kinds }: Settings): boolean => url === "" || kinds.length === 0;

function bodyOf({ url, kinds, uids }: Settings) {
  const entered = uids.split(/[\s,]+/).filter((uid) => uid !== "");
  const accounts = kinds.includes("fills") ? entered.map(Number) : [];
  return { url, kinds: [...kinds], accounts };
}

interface SettingsErrors {
  readonly urlError: string | null;
  readonly uidsError: string | null;
}

/** Asked for by the form itself, which shows at its end what no field shows. */
function errorsOf({ kinds }: Settings, errorOf: ErrorOf): SettingsErrors {
  const uidsError = kinds.includes("fills") ? errorOf("accounts") : null;
  return { urlError: errorOf("url"), uidsError };
}

interface SettingsFieldsProps extends SettingsErrors {
  readonly settings: Settings;
  readonly onSettings: (settings: Settings) => void;
}

function SettingsFields(props: SettingsFieldsProps): ReactElement {
  const { settings, onSettings, urlError, uidsError } = props;
  const { url, kinds, uids } = settings;
  return (
    <>
      <Field
        label="URL"
        value={url}
        error={urlError}
        hint="https, or http on the machine of the exchange."
        onText={(text) => onSettings({ ...settings, url: text })}
      />
      <KindFields kinds={kinds} onKinds={(chosen) => onSettings({ ...settings, kinds: chosen })} />
      {kinds.includes("fills") ? (
        <Field
          label="Fills of these users"
          value={uids}
          error={uidsError}
          hint={`At most ${WEBHOOK_ACCOUNTS_MAX} uids, separated by commas.`}
          onText={(text) => onSettings({ ...settings, uids: text })}
        />
      ) : null}
    </>
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
