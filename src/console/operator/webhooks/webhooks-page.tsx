/** Webhooks: who is told what, and how far. */
import { type ReactElement, useMemo, useState } from "react";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { Badge } from "../components/badge.tsx";
import { countText } from "../components/format.ts";
import layout from "../components/layout.module.css";
import { mayCall } from "../components/may-call.ts";
import { useOperator } from "../session/operator-session.tsx";
import { AddDialog } from "./webhook-dialogs.tsx";
import { WebhookPanel } from "./webhook-panel.tsx";
import { kindsText, type Webhook, webhookState } from "./webhook-texts.ts";

const REFRESH_MS = 5_000;

export function WebhooksPage(): ReactElement {
  const { client, role } = useOperator();
  const [isAdding, setAdding] = useState(false);
  const [shownId, setShownId] = useState<string | null>(null);
  const query = useQuery("webhooks", (signal) => client.listWebhooks({ signal }), REFRESH_MS);
  const shown = query.answer?.items.find(({ webhookId }) => webhookId === shownId);
  const columns = useMemo(() => columnsOf(shownId, setShownId), [shownId]);
  const show = (webhookId: string | null): void => {
    setShownId(webhookId);
    query.refresh();
  };
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Webhooks</h1>
      <Panel
        title="Webhooks"
        flush
        actions={
          mayCall(role, "createWebhook") ? (
            <Button size="small" tone="accent" onClick={() => setAdding(true)}>
              Add a webhook
            </Button>
          ) : undefined
        }
      >
        <QueryTable
          label="Webhooks"
          query={query}
          columns={columns}
          rowKey={({ webhookId }) => webhookId}
          empty="No webhooks. Nobody outside is told what happens."
        />
      </Panel>
      {shown === undefined ? null : (
        <WebhookPanel
          key={shown.webhookId}
          webhook={shown}
          onChange={query.refresh}
          onRemoved={() => show(null)}
        />
      )}
      {isAdding ? <AddDialog onClose={() => setAdding(false)} onAdded={show} /> : null}
    </div>
  );
}

function columnsOf(
  shownId: string | null,
  onShow: (webhookId: string) => void,
): readonly Column<Webhook>[] {
  return [
    {
      id: "url",
      header: "URL",
      cell: ({ url }) => (
        <span className={layout.clip} title={url}>
          {url}
        </span>
      ),
    },
    {
      id: "kinds",
      header: "Events",
      cell: (webhook) => (
        <span className={layout.clip} title={kindsText(webhook)}>
          {kindsText(webhook)}
        </span>
      ),
    },
    {
      id: "state",
      header: "State",
      cell: (webhook) => {
        const { tone, text } = webhookState(webhook);
        return <Badge tone={tone}>{text}</Badge>;
      },
    },
    {
      id: "waiting",
      header: "Waiting events",
      align: "right",
      cell: ({ lastNumber, deliveredNumber }) =>
        countText(Math.max(0, lastNumber - deliveredNumber)),
    },
    {
      id: "error",
      header: "Last error",
      cell: ({ lastError }) => (
        <span className={layout.clip} title={lastError ?? undefined}>
          {lastError ?? "–"}
        </span>
      ),
    },
    {
      id: "actions",
      header: <span className="visually-hidden">Actions</span>,
      align: "right",
      pinned: true,
      cell: ({ webhookId, url }) => (
        <Button
          size="small"
          aria-label={`Open ${url}`}
          aria-pressed={webhookId === shownId}
          onClick={() => onShow(webhookId)}
        >
          Open
        </Button>
      ),
    },
  ];
}
