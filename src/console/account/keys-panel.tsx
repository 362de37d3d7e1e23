/** The account's API keys: all of them, and new ones where the operator allows it. */
import { type ReactElement, useMemo, useState } from "react";
import type { ApiKey } from "../../client/index.ts";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import type { Column } from "../components/data-table.tsx";
import { Dialog } from "../components/dialog.tsx";
import { ErrorText } from "../components/form-error.tsx";
import { Panel } from "../components/panel.tsx";
import { QueryTable } from "../components/query-view.tsx";
import { useMutation } from "../data/mutation.ts";
import { useQuery } from "../data/query.ts";
import { utcTime } from "../data/utc.ts";
import { useSession } from "../session/session.tsx";
import styles from "./account-page.module.css";
import { CreateKeyDialog } from "./create-key-dialog.tsx";

const INTERVAL_MS = 30_000;
const MANAGES =
  "A new key has at most the rights of the one that this page signs with. A change of keys puts " +
  "withdrawals on hold for a while.";
const READS =
  "This page's key cannot make others: ask the operator of the exchange for one with the " +
  "permission keys.";

export function KeysPanel({ apiKey }: { readonly apiKey: string }): ReactElement {
  const { client } = useSession();
  const query = useQuery(
    `keys ${apiKey}`,
    (signal) => client.spot.apiKeys({ signal }),
    INTERVAL_MS,
  );
  const [creates, setCreates] = useState(false);
  const [ending, setEnding] = useState<ApiKey | null>(null);
  const own = query.answer?.find(({ isThis }) => isThis);
  const manages = own?.permissions.includes("keys") === true;
  const columns = useMemo(() => columnsOf(own, setEnding), [own]);
  return (
    <Panel
      title="API keys"
      flush
      actions={
        manages ? (
          <Button size="small" tone="accent" onClick={() => setCreates(true)}>
            Create a key
          </Button>
        ) : undefined
      }
    >
      <QueryTable
        label="API keys"
        cards
        query={query}
        columns={columns}
        rowKey={({ apiKey }) => apiKey}
        empty="No API keys."
      />
      <p className={styles.note}>{manages ? MANAGES : READS}</p>
      {creates && own !== undefined ? (
        <CreateKeyDialog own={own} onDone={query.refresh} onClose={() => setCreates(false)} />
      ) : null}
      {ending === null ? null : (
        <RevokeDialog ended={ending} onDone={query.refresh} onClose={() => setEnding(null)} />
      )}
    </Panel>
  );
}

const shortOf = (apiKey: string): string => `${apiKey.slice(0, 13)}…`;

/** The exchange refuses to let a key end one that has more rights. */
function mayEnd(own: ApiKey | undefined, { permissions }: ApiKey): boolean {
  if (own?.permissions.includes("keys") !== true || permissions.includes("keys")) return false;
  return permissions.every((permission) => own.permissions.includes(permission));
}

function columnsOf(
  own: ApiKey | undefined,
  onRevoke: (key: ApiKey) => void,
): readonly Column<ApiKey>[] {
  return [
    {
      id: "key",
      header: "Key",
      cell: ({ apiKey, isThis }) => (
        <>
          <code title={apiKey}>{shortOf(apiKey)}</code>{" "}
          <CopyButton text={apiKey} what={`API key ${shortOf(apiKey)}`} />
          {isThis ? <span className={styles.hint}> signs for this page</span> : null}
        </>
      ),
    },
    { id: "label", header: "Label", cell: ({ label }) => label || "–" },
    { id: "may", header: "Permissions", cell: ({ permissions }) => permissions.join(", ") },
    {
      id: "from",
      header: "Allowed IPs",
      cell: ({ ipAllowList }) => (ipAllowList.length === 0 ? "any" : ipAllowList.join(", ")),
    },
    {
      id: "until",
      header: "Expires",
      cell: ({ expiresAt }) => (expiresAt === 0 ? "never" : utcTime(expiresAt)),
    },
    {
      id: "revoke",
      header: <span className="visually-hidden">Actions</span>,
      align: "right",
      pinned: true,
      cell: (key) =>
        mayEnd(own, key) ? (
          <Button
            size="small"
            tone="danger"
            aria-label={`Revoke key ${shortOf(key.apiKey)}`}
            onClick={() => onRevoke(key)}
          >
            Revoke
          </Button>
        ) : null,
    },
  ];
}

interface RevokeDialogProps {
  readonly ended: ApiKey;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function RevokeDialog({ ended, onDone, onClose }: RevokeDialogProps): ReactElement {
  const { client } = useSession();
  const { busy, error, run } = useMutation();
  const revoke = async (): Promise<void> => {
    const { apiKey } = ended;
    const act = async (): Promise<string> => {
      await client.spot.revokeApiKey({ apiKey });
      return `API key ${shortOf(apiKey)} revoked`;
    };
    if (!(await run(act))) return;
    onDone();
    onClose();
  };
  return (
    <Dialog title="Revoke API key" open onClose={onClose}>
      <div className={styles.form}>
        <p>
          Requests with <code>{shortOf(ended.apiKey)}</code>
          {ended.label === "" ? "" : ` (${ended.label})`} will be rejected. Its open orders stay.
          This cannot be undone.
        </p>
        <ErrorText text={error?.message ?? null} />
        <div className={styles.ends}>
          <Button size="large" onClick={onClose}>
            Keep it
          </Button>
          <Button size="large" tone="danger" busy={busy} onClick={() => void revoke()}>
            Revoke
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
