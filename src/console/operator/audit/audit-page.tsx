/** Who did what on this plane, newest first. */
import { type ReactElement, useMemo, useState } from "react";
import type { ListAuditAnswer } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Field } from "../../components/field.tsx";
import { Notice, Panel } from "../../components/panel.tsx";
import { Asked } from "../../components/query-view.tsx";
import { countText, utcTime } from "../components/format.ts";
import parts from "../components/layout.module.css";
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
  return (
    <div className={parts.page}>
      <h1 className="visually-hidden">Audit</h1>
      <Panel
        title="Audit, newest first"
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
            <Button onClick={paged.polled.refresh}>Read again</Button>
          </>
        }
      >
        <Asked what="The audit" polled={paged.polled}>
          {({ items }) => <Entries entries={items.filter((entry) => isAbout(entry, text))} />}
        </Asked>
        <Pager what="the audit" paged={paged} />
      </Panel>
    </div>
  );
}

function isAbout({ actor, action, subject, details }: Entry, text: string): boolean {
  if (text === "") return true;
  return `${actor} ${action} ${subject} ${JSON.stringify(details)}`.toLowerCase().includes(text);
}

function Entries({ entries }: { readonly entries: readonly Entry[] }): ReactElement {
  const columns = useMemo(columnsOf, []);
  return (
    <DataTable
      label="Audit"
      columns={columns}
      rows={entries}
      rowKey={({ id }) => id}
      empty={<Notice kind="empty">Nothing here was done by this.</Notice>}
    />
  );
}

function columnsOf(): readonly Column<Entry>[] {
  return [
    { id: "time", header: "Exchange time", cell: ({ time }) => utcTime(time) },
    { id: "actor", header: "Who", cell: ({ actor }) => <strong>{actor}</strong> },
    { id: "action", header: "What", cell: ({ action }) => action },
    {
      id: "subject",
      header: "Subject",
      cell: ({ subject }) => (
        <span className={parts.clip} title={subject}>
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
}

/** More than fits into a line of the widest screen. */
const SHORT_LENGTH = 200;

/** Without what stands in other columns. */
function shortText(details: unknown): string {
  const { type: _type, actor: _actor, ...rest } = details as Record<string, unknown>;
  return JSON.stringify(rest).slice(0, SHORT_LENGTH);
}
