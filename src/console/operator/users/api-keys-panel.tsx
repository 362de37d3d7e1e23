/** A user's API keys: create, edit, revoke. */
import { type ReactElement, useMemo, useState } from "react";
import type { GetApiKeyAnswer } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { utcTime } from "../../data/utc.ts";
import { ConfirmButton, given } from "../components/confirm-button.tsx";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";
import { ApiKeyDialog } from "./api-key-dialog.tsx";

const LIMIT = 1_000;

export function ApiKeysPanel({ uid }: { readonly uid: number }): ReactElement {
  const { client } = useOperator();
  /** Undefined while no dialog is open; null for a new key. */
  const [edited, setEdited] = useState<GetApiKeyAnswer | null | undefined>(undefined);
  const query = useQuery(`api-keys ${uid}`, (signal) =>
    client.listApiKeysOfUser({ uid, limit: LIMIT }, { signal }),
  );
  const { refresh } = query;
  const columns = useMemo(() => {
    const revoke = async ({ apiKey }: GetApiKeyAnswer, reason: string): Promise<string> => {
      await client.revokeApiKey({ apiKey, ...given(reason) });
      refresh();
      return "API key revoked";
    };
    return columnsOf(setEdited, revoke);
  }, [client, refresh]);
  return (
    <Panel
      title="API keys"
      flush
      actions={
        <Button size="small" tone="accent" onClick={() => setEdited(null)}>
          Create a key
        </Button>
      }
    >
      <QueryTable
        label="API keys"
        query={query}
        columns={columns}
        rowKey={({ apiKey }) => apiKey}
        empty="No API keys."
      />
      {edited === undefined ? null : (
        <ApiKeyDialog
          uid={uid}
          edited={edited}
          onClose={() => setEdited(undefined)}
          onDone={refresh}
        />
      )}
    </Panel>
  );
}

function columnsOf(
  onEdit: (key: GetApiKeyAnswer) => void,
  revoke: (key: GetApiKeyAnswer, reason: string) => Promise<string>,
): readonly Column<GetApiKeyAnswer>[] {
  return [
    {
      id: "key",
      header: "Key",
      cell: ({ apiKey }) => <code title={apiKey}>{apiKey.slice(0, 13)}…</code>,
    },
    { id: "label", header: "Label", cell: ({ label }) => <Clip text={label || "–"} /> },
    { id: "may", header: "Permissions", cell: ({ permissions }) => permissions.join(", ") },
    {
      id: "from",
      header: "Allowed IPs",
      cell: ({ ipAllowList }) => (
        <Clip text={ipAllowList.length === 0 ? "any" : ipAllowList.join(", ")} />
      ),
    },
    {
      id: "until",
      header: "Expires",
      cell: ({ expiresAt }) => (expiresAt === null ? "never" : utcTime(expiresAt)),
    },
    {
      id: "actions",
      header: <span className="visually-hidden">Actions</span>,
      align: "right",
      pinned: true,
      cell: (key) => (
        <span className={layout.rowActions}>
          <Button
            size="small"
            aria-label={`Edit key ${key.apiKey.slice(0, 13)}`}
            onClick={() => onEdit(key)}
          >
            Edit
          </Button>
          <ConfirmButton
            tone="danger"
            label={`Revoke key ${key.apiKey.slice(0, 13)}`}
            title="Revoke API key"
            consequence={`Requests with ${key.apiKey} will be rejected. This cannot be undone.`}
            confirm="Revoke API key"
            asksReason
            act={(reason) => revoke(key, reason)}
          >
            Revoke
          </ConfirmButton>
        </span>
      ),
    },
  ];
}

function Clip({ text }: { readonly text: string }): ReactElement {
  return (
    <span className={layout.clip} title={text}>
      {text}
    </span>
  );
}
