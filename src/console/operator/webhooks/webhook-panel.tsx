/** One webhook: its actions, and its deliveries, newest first. */
import { type ReactElement, useMemo, useState } from "react";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Field } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useToast } from "../../components/toast.tsx";
import { type Message, useMutation } from "../../data/mutation.ts";
import { utcTime } from "../../data/utc.ts";
import { Badge } from "../components/badge.tsx";
import { ConfirmButton } from "../components/confirm-button.tsx";
import layout from "../components/layout.module.css";
import { mayCall } from "../components/may-call.ts";
import { MutationDialog } from "../components/mutation-form.tsx";
import { Pager, usePages } from "../components/paging.tsx";
import { useOperator } from "../session/operator-session.tsx";
import { EditDialog, SecretDialog } from "./webhook-dialogs.tsx";
import {
  answerText,
  type Delivery,
  deliverySentence,
  eventsText,
  type Webhook,
} from "./webhook-texts.ts";
import styles from "./webhooks.module.css";

const LIMIT = 20;
const REFRESH_MS = 5_000;

export interface WebhookPanelProps {
  readonly webhook: Webhook;
  readonly onChange: () => void;
  readonly onRemoved: () => void;
}

export function WebhookPanel({ webhook, onChange, onRemoved }: WebhookPanelProps): ReactElement {
  const { webhookId, url } = webhook;
  const { client, role } = useOperator();
  const [again, setAgain] = useState<Delivery | null>(null);
  const paged = usePages<Delivery, number>(
    `deliveries ${webhookId}`,
    (before, signal) => {
      const from = before === undefined ? {} : { before };
      return client.listWebhookDeliveries({ webhookId, limit: LIMIT, ...from }, { signal });
    },
    REFRESH_MS,
  );
  const columns = useMemo(
    () => columnsOf(mayCall(role, "redeliverWebhookEvent") ? setAgain : null),
    [role],
  );
  const onDone = (): void => {
    paged.query.refresh();
    onChange();
  };
  return (
    <Panel
      title="Deliveries"
      flush
      actions={<Actions webhook={webhook} onChange={onDone} onRemoved={onRemoved} />}
    >
      <p className={`${layout.note} ${styles.whole}`}>
        {url} ({webhookId})
      </p>
      <QueryTable
        label="Deliveries"
        query={paged.query}
        columns={columns}
        rowKey={({ deliveryId }) => deliveryId}
        empty="Nothing was sent yet."
      />
      <Pager what="deliveries" paged={paged} />
      {again === null ? null : (
        <AgainDialog
          webhookId={webhookId}
          delivery={again}
          onClose={() => setAgain(null)}
          onDone={onDone}
        />
      )}
    </Panel>
  );
}

function columnsOf(onAgain: ((delivery: Delivery) => void) | null): readonly Column<Delivery>[] {
  const columns: readonly Column<Delivery>[] = [
    { id: "time", header: "Time", cell: ({ time }) => utcTime(time) },
    { id: "kind", header: "Kind", cell: ({ kind }) => kind },
    { id: "events", header: "Events", align: "right", cell: eventsText },
    { id: "attempt", header: "Attempt", align: "right", cell: ({ attempt }) => attempt },
    {
      id: "answer",
      header: "Answer",
      cell: (delivery) => (
        <Badge tone={delivery.delivered ? "good" : "bad"}>{answerText(delivery)}</Badge>
      ),
    },
    {
      id: "duration",
      header: "Duration",
      align: "right",
      cell: ({ durationMs }) => `${durationMs} ms`,
    },
  ];
  if (onAgain === null) return columns;
  const action: Column<Delivery> = {
    id: "actions",
    header: <span className="visually-hidden">Actions</span>,
    align: "right",
    pinned: true,
    cell: (delivery) =>
      delivery.firstNumber === 0 ? null : (
        <Button
          size="small"
          aria-label={`Send event again, of delivery ${delivery.deliveryId}`}
          onClick={() => onAgain(delivery)}
        >
          Send event again
        </Button>
      ),
  };
  return [...columns, action];
}

function toMessage(delivery: Delivery): Message {
  return { text: deliverySentence(delivery), tone: delivery.delivered ? "good" : "bad" };
}

interface AgainDialogProps {
  readonly webhookId: string;
  readonly delivery: Delivery;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** A delivery may have had many events; one is sent. */
function AgainDialog({ webhookId, delivery, onClose, onDone }: AgainDialogProps): ReactElement {
  const { client } = useOperator();
  const [number, setNumber] = useState(String(delivery.firstNumber));
  const send = async (): Promise<Message> =>
    toMessage(await client.redeliverWebhookEvent({ webhookId, number: Number(number) }));
  return (
    <MutationDialog
      title="Send an event again"
      submit="Send again"
      disabled={number.trim() === ""}
      act={send}
      onClose={onClose}
      onDone={onDone}
    >
      {(errorOf) => (
        <Field
          label="Event"
          inputMode="numeric"
          value={number}
          error={errorOf("number")}
          hint={`This delivery had ${eventsText(delivery)}. It is sent once, as a redelivery.`}
          onText={setNumber}
        />
      )}
    </MutationDialog>
  );
}

/** Those that the role may take. */
function Actions({ webhook, onChange, onRemoved }: WebhookPanelProps): ReactElement {
  const { client, role } = useOperator();
  const { webhookId, url, paused } = webhook;
  const [isRenewing, setRenewing] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const test = async (): Promise<Message> => toMessage(await client.testWebhook({ webhookId }));
  const pause = async (): Promise<string> => {
    await client.updateWebhook({ webhookId, paused: !paused });
    return paused ? "Webhook resumed" : "Webhook paused";
  };
  const remove = async (): Promise<string> => {
    await client.removeWebhook({ webhookId });
    return "Webhook removed";
  };
  return (
    <span className={layout.rowActions}>
      {mayCall(role, "testWebhook") ? (
        <ActButton text="Send a test" act={test} onDone={onChange} />
      ) : null}
      {mayCall(role, "updateWebhook") ? (
        <ActButton text={paused ? "Resume" : "Pause"} act={pause} onDone={onChange} />
      ) : null}
      {mayCall(role, "updateWebhook") ? (
        <Button size="small" onClick={() => setEditing(true)}>
          Change
        </Button>
      ) : null}
      {mayCall(role, "renewWebhookSecret") ? (
        <Button size="small" onClick={() => setRenewing(true)}>
          New secret
        </Button>
      ) : null}
      {mayCall(role, "removeWebhook") ? (
        <ConfirmButton
          tone="danger"
          title="Remove webhook"
          consequence={
            <>
              <p className={styles.whole}>{url}</p>
              <p>What it was not told yet is never sent.</p>
            </>
          }
          confirm="Remove the webhook"
          act={remove}
          onDone={onRemoved}
        >
          Remove
        </ConfirmButton>
      ) : null}
      {isEditing ? (
        <EditDialog webhook={webhook} onClose={() => setEditing(false)} onDone={onChange} />
      ) : null}
      {isRenewing ? (
        <SecretDialog webhookId={webhookId} onClose={() => setRenewing(false)} onDone={onChange} />
      ) : null}
    </span>
  );
}

interface ActButtonProps {
  readonly text: string;
  readonly act: () => Promise<Message>;
  readonly onDone: () => void;
}

/** Acts at once; a refusal is shown as a toast. */
function ActButton({ text, act, onDone }: ActButtonProps): ReactElement {
  const toast = useToast();
  const { run, busy } = useMutation(({ message }) => toast(message, "bad"));
  return (
    <Button size="small" busy={busy} onClick={() => void run(act).then(onDone)}>
      {text}
    </Button>
  );
}
