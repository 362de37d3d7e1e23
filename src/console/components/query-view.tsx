/** Shows what a query returned, or that it is loading, or why it failed. */
import { type ReactElement, type ReactNode, useEffect, useState } from "react";
import type { Query } from "../data/query.ts";
import { DataTable, type DataTableProps } from "./data-table.tsx";
import { FailureNotice } from "./failure-notice.tsx";
import { Notice } from "./panel.tsx";

type Loaded<Answer> = Pick<Query<Answer>, "answer" | "error" | "refresh">;

export interface QueryViewProps<Answer> {
  /** What is loaded: "users". */
  readonly what: string;
  readonly query: Loaded<Answer>;
  readonly children: (answer: Answer) => ReactNode;
}

/** An answer stays visible while a later request fails. */
export function QueryView<Answer>({ what, query, children }: QueryViewProps<Answer>): ReactElement {
  const { answer, error, refresh } = query;
  return (
    <>
      {error === null ? null : (
        <FailureNotice what={what} error={error} onRetry={refresh} slim={answer !== null} />
      )}
      {answer !== null ? children(answer) : null}
      {answer === null && error === null ? <Loading /> : null}
    </>
  );
}

const LONG_MS = 4_000;

/** After a start, answers wait until the history has caught up; nobody should wonder. */
function Loading(): ReactElement {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Notice kind="loading">
      Loading…
      {isLong ? " This takes longer than usual: the history may still be catching up." : null}
    </Notice>
  );
}

type TableProps<Row> = Pick<
  DataTableProps<Row>,
  "label" | "columns" | "rowKey" | "empty" | "onRow" | "actions" | "cards" | "sorted"
>;

export interface QueryTableProps<Row> extends TableProps<Row> {
  readonly query: Loaded<readonly Row[] | { readonly items: readonly Row[] }>;
}

/** A query whose answer is a list. */
export function QueryTable<Row>(props: QueryTableProps<Row>): ReactElement {
  const { query, empty, ...table } = props;
  return (
    <QueryView what={inSentence(table.label)} query={query}>
      {(answer) => {
        const rows = "items" in answer ? answer.items : answer;
        return <DataTable {...table} rows={rows} empty={<Notice kind="empty">{empty}</Notice>} />;
      }}
    </QueryView>
  );
}

/** "Open orders" as "open orders", "API keys" as it is. */
function inSentence(label: string): string {
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}
