/** A list of the user's own with its states: loading, failed, limited, empty, there. */
import type { ReactElement, ReactNode } from "react";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Notice } from "../../components/panel.tsx";
import type { Polled } from "../../data/query.ts";
import styles from "./account.module.css";

export interface AccountTableProps<Row> {
  readonly label: string;
  readonly polled: Polled<readonly Row[]>;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string | number;
  readonly empty: ReactNode;
  /** Beside the table, e.g. "cancel all"; only shown with rows. */
  readonly actions?: ReactNode;
}

export function AccountTable<Row>(props: AccountTableProps<Row>): ReactElement {
  const { label, polled, columns, rowKey, empty, actions } = props;
  const { answer, error, refresh } = polled;
  return (
    <>
      {error === null ? null : (
        <FailureNotice what={label} error={error} onRetry={refresh} slim={answer !== null} />
      )}
      {answer === null ? (
        error === null && <Notice kind="loading">Reading…</Notice>
      ) : (
        <>
          {actions !== undefined && answer.length > 0 ? (
            <div className={styles.actions}>{actions}</div>
          ) : null}
          <DataTable
            label={label}
            columns={columns}
            rows={answer}
            rowKey={rowKey}
            empty={<Notice kind="empty">{empty}</Notice>}
          />
        </>
      )}
    </>
  );
}
