/** One page of a report: filters above, paging below. */
import type { ReactElement, ReactNode } from "react";
import { Button } from "../../components/button.tsx";
import { QueryTable, type QueryTableProps } from "../../components/query-view.tsx";
import type { Query } from "../../data/query.ts";
import { groupDecimal } from "../../decimals/format.ts";
import styles from "./report-table.module.css";

export interface ReportPage<Row> {
  readonly items: readonly Row[];
  /** Across all pages. */
  readonly total: number;
  readonly pages: number;
}

export interface ReportTableProps<Row> extends Omit<QueryTableProps<Row>, "query"> {
  readonly filters: ReactNode;
  readonly query: Query<ReportPage<Row>>;
  readonly page: number;
  readonly onPage: (page: number) => void;
}

export function ReportTable<Row>(props: ReportTableProps<Row>): ReactElement {
  const { filters, page, onPage, ...table } = props;
  const { label, query } = table;
  return (
    <>
      <div className={styles.filters}>{filters}</div>
      <QueryTable {...table} />
      {query.answer === null ? null : (
        <Pages label={label} page={page} onPage={onPage} {...query.answer} />
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
