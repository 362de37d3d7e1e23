/** A page of a report with its filters above, its pages below, and its states in between. */
import type { ReactElement, ReactNode } from "react";
import { Button } from "../../components/button.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Notice } from "../../components/panel.tsx";
import type { Polled } from "../../data/query.ts";
import { groupDecimal } from "../../decimals/format.ts";
import styles from "./report-table.module.css";

export interface ReportPage<Row> {
  readonly rows: readonly Row[];
  /** Of all pages. */
  readonly total: number;
  readonly pages: number;
}

export interface ReportTableProps<Row> {
  readonly label: string;
  readonly filters: ReactNode;
  readonly polled: Polled<ReportPage<Row>>;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly empty: ReactNode;
  readonly page: number;
  readonly onPage: (page: number) => void;
}

export function ReportTable<Row>(props: ReportTableProps<Row>): ReactElement {
  const { label, filters, polled, columns, rowKey, empty } = props;
  const { answer, error, refresh } = polled;
  return (
    <>
      <div className={styles.filters}>{filters}</div>
      {error === null ? null : <FailureNotice what={label} error={error} onRetry={refresh} />}
      {answer === null ? (
        error === null && <Notice kind="loading">Reading…</Notice>
      ) : (
        <>
          <DataTable
            label={label}
            columns={columns}
            rows={answer.rows}
            rowKey={rowKey}
            empty={<Notice kind="empty">{empty}</Notice>}
          />
          <Pages {...props} total={answer.total} pages={answer.pages} />
        </>
      )}
    </>
  );
}

interface PagesProps {
  readonly label: string;
  readonly page: number;
  readonly pages: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}

function Pages({ label, page, pages, total, onPage }: PagesProps): ReactElement | null {
  if (total === 0) return null;
  return (
    <nav className={styles.pages} aria-label={`Pages of ${label}`}>
      <Button size="small" disabled={page <= 1} onClick={() => onPage(1)}>
        First
      </Button>
      <Button size="small" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Newer
      </Button>
      <span>
        Page {page} of {groupDecimal(String(pages))}, {groupDecimal(String(total))}{" "}
        {total === 1 ? "row" : "rows"}
      </span>
      <Button size="small" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        Older
      </Button>
    </nav>
  );
}
