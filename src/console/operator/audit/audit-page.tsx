/** The audit log of the operator API, newest first. */
import { type ReactElement, useState } from "react";
import type { ListAuditAnswer } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Field } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { utcTime } from "../../data/utc.ts";
import { countText } from "../components/format.ts";
import layout from "../components/layout.module.css";
import { Pager, usePages } from "../components/paging.tsx";
import { useOperator } from "../session/operator-session.tsx";
import styles from "./audit-page.module.css";

type Entry = ListAuditAnswer["items"][number];

const LIMIT = 100;

export function AuditPage(): ReactElement {
  const { client } = useOperator();
  const [wanted, setWanted] = useState("");
  const paged = usePages<Entry, number>("audit", (before, signal) =>
    client.listAudit({ before: before ?? Number.MAX_SAFE_INTEGER, limit: LIMIT }, { signal }),
  );
  const text = wanted.trim().toLowerCase();
  const entries = paged.query.answer?.items.filter((entry) => isAbout(entry, text)) ?? null;
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Audit</h1>
      <Panel
        title="Audit log, newest first"
        flush
        actions={
          <>
            <Field
              label={<span className="visually-hidden">Filter this page</span>}
              placeholder="Filter this page"
              type="search"
              value={wanted}
              onText={setWanted}
            />
            <Button onClick={paged.query.refresh}>Refresh</Button>
          </>
        }
      >
        <QueryTable
          label="Audit log"
          query={{ ...paged.query, answer: entries }}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          empty={text === "" ? "No actions yet." : "No matching entries on this page."}
        />
        <Pager what="the audit log" paged={paged} />
      </Panel>
    </div>
  );
}

function isAbout({ actor, action, subject, details }: Entry, text: string): boolean {
  if (text === "") return true;
  return `${actor} ${action} ${subject} ${JSON.stringify(details)}`.toLowerCase().includes(text);
}

const COLUMNS: readonly Column<Entry>[] = [
  { id: "time", header: "Exchange time", cell: ({ time }) => utcTime(time) },
  { id: "actor", header: "Operator", cell: ({ actor }) => <strong>{actor}</strong> },
  { id: "action", header: "Action", cell: ({ action }) => action },
  {
    id: "subject",
    header: "Subject",
    cell: ({ subject }) => (
      <span className={layout.clip} title={subject}>
        {subject}
      </span>
    ),
  },
  {
    id: "details",
    header: "Details",
    cell: ({ details }) => (
      <details className={styles.details}>
        <summary>{shortText(details)}</summary>
        <pre>{JSON.stringify(details, null, 2)}</pre>
      </details>
    ),
  },
  {
    id: "sequence",
    header: "Sequence",
    align: "right",
    cell: ({ sequence }) => countText(sequence),
  },
];

/** More than fits on a line. */
const SHORT_LENGTH = 200;

/** Without what other columns show. */
function shortText(details: unknown): string {
  const { type: _type, actor: _actor, ...rest } = details as Record<string, unknown>;
  return JSON.stringify(rest).slice(0, SHORT_LENGTH);
}
