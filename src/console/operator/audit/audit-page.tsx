/** The audit log as sentences, newest first, with filters over all of it. */
import { type ReactElement, useState } from "react";
import { Link } from "wouter";
import type { ListAuditAnswer, OperatorClient } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { utcTime } from "../../data/utc.ts";
import { countText } from "../components/format.ts";
import layout from "../components/layout.module.css";
import { Pager, usePages } from "../components/paging.tsx";
import { useOperator } from "../session/operator-session.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import styles from "./audit-page.module.css";
import { type AuditQuery, type Draft, isEmpty, NO_FILTER, queryOf } from "./filter-draft.ts";

type Entry = ListAuditAnswer["items"][number];

const LIMIT = 50;
/** Of 20,000 entries each, for one page. */
const SEARCHES_MAX = 50;

export function AuditPage(): ReactElement {
  const { client } = useOperator();
  const [draft, setDraft] = useState<Draft>(NO_FILTER);
  const query = queryOf(draft);
  const paged = usePages<Entry, number>(`audit ${JSON.stringify(query)}`, (before, signal) =>
    fetchPage(client, query, before, signal),
  );
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Audit</h1>
      <Panel
        title="Audit log, newest first"
        flush
        actions={<Button onClick={paged.query.refresh}>Refresh</Button>}
      >
        <AuditFilters draft={draft} onChange={setDraft} />
        <QueryTable
          label="Audit log"
          query={paged.query}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          empty={isEmpty(query) ? "No actions yet." : "No actions match these filters."}
        />
        <Pager what="the audit log" paged={paged} />
      </Panel>
    </div>
  );
}

/** Looks further back until the page is full: a search may end before it has found one. */
async function fetchPage(
  client: OperatorClient,
  query: AuditQuery,
  before: number | undefined,
  signal: AbortSignal,
): Promise<ListAuditAnswer> {
  const items: Entry[] = [];
  let next: number | null = before ?? Number.MAX_SAFE_INTEGER;
  for (let i = 0; next !== null && items.length < LIMIT && i < SEARCHES_MAX; i++) {
    const page: ListAuditAnswer = await client.listAudit(
      { ...query, before: next, limit: LIMIT - items.length },
      { signal },
    );
    items.push(...page.items);
    next = page.next;
  }
  return { items, next };
}

const COLUMNS: readonly Column<Entry>[] = [
  { id: "time", header: "Exchange time", cell: ({ time }) => utcTime(time) },
  {
    id: "sentence",
    header: "What happened",
    cell: (entry) => (
      <details className={styles.details}>
        <summary>{entry.sentence}</summary>
        <pre>{JSON.stringify(entry.details, null, 2)}</pre>
      </details>
    ),
  },
  { id: "user", header: "User", cell: ({ details }) => <UserLink details={details} /> },
  {
    id: "action",
    header: "Action",
    cell: ({ action }) => <span className={layout.dim}>{action}</span>,
  },
  {
    id: "sequence",
    header: "Sequence",
    align: "right",
    cell: ({ sequence }) => countText(sequence),
  },
];

function UserLink({ details }: { readonly details: unknown }): ReactElement {
  const { uid } = details as { readonly uid?: unknown };
  if (typeof uid !== "number") return <>–</>;
  return <Link href={`/users/${uid}`}>{uid}</Link>;
}
