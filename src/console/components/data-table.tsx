/** Tables with sortable columns; a row renders again only when its object changes. */
import { memo, type ReactElement, type ReactNode, useMemo, useState } from "react";
import styles from "./data-table.module.css";

export interface Column<Row> {
  readonly id: string;
  readonly header: ReactNode;
  /** Numbers go right. */
  readonly align?: "left" | "right";
  /** Of the header and every cell. */
  readonly className?: string | undefined;
  readonly cell: (row: Row) => ReactNode;
  /** Stays visible while the table scrolls sideways: for actions. */
  readonly pinned?: true;
  /** Makes the column sortable: ascending order of two rows. */
  readonly compare?: (left: Row, right: Row) => number;
}

export interface DataTableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly label: string;
  /** A constant or `useMemo`: a new list renders every row again. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  /** Shown if there are no rows. */
  readonly empty: ReactNode;
  readonly onRow?: ((row: Row) => void) | undefined;
}

interface Sorting {
  readonly columnId: string;
  readonly descending: boolean;
}

export function DataTable<Row>(props: DataTableProps<Row>): ReactElement {
  const { label, columns, rows, rowKey, empty, onRow } = props;
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const shown = useMemo(() => sorted(rows, columns, sorting), [rows, columns, sorting]);
  if (rows.length === 0) return <div className={styles.empty}>{empty}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard as well
    <section className={styles.scroll} aria-label={label} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sorting={sorting} onSort={setSorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <MemoRow
              key={rowKey(row)}
              row={row}
              columns={columns as never}
              onRow={onRow as never}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: Sorting | null,
): readonly Row[] {
  const compare = columns.find((column) => column.id === sorting?.columnId)?.compare;
  if (sorting === null || compare === undefined) return rows;
  const ascending = rows.toSorted(compare);
  return sorting.descending ? ascending.reverse() : ascending;
}

interface HeaderCellProps<Row> {
  readonly column: Column<Row>;
  readonly sorting: Sorting | null;
  readonly onSort: (sorting: Sorting | null) => void;
}

function HeaderCell<Row>({ column, sorting, onSort }: HeaderCellProps<Row>): ReactElement {
  const mine = sorting?.columnId === column.id ? sorting : null;
  const direction = mine === null ? "none" : mine.descending ? "descending" : "ascending";
  if (column.compare === undefined) {
    return (
      <th
        scope="col"
        data-align={column.align}
        data-pinned={column.pinned}
        className={column.className}
      >
        {column.header}
      </th>
    );
  }
  // Descending, then ascending, then unsorted.
  const next = (): Sorting | null => {
    if (mine === null) return { columnId: column.id, descending: true };
    return mine.descending ? { columnId: column.id, descending: false } : null;
  };
  return (
    <th scope="col" data-align={column.align} className={column.className} aria-sort={direction}>
      <button type="button" className={styles.sort} onClick={() => onSort(next())}>
        {column.header}
        <span aria-hidden="true">{{ none: "", ascending: " ↑", descending: " ↓" }[direction]}</span>
      </button>
    </th>
  );
}

interface RowProps {
  readonly row: unknown;
  readonly columns: readonly Column<unknown>[];
  readonly onRow: ((row: unknown) => void) | undefined;
}

const MemoRow = memo(function MemoRow({ row, columns, onRow }: RowProps): ReactElement {
  return (
    <tr data-pressable={onRow === undefined ? undefined : true} onClick={() => onRow?.(row)}>
      {columns.map((column) => (
        <td
          key={column.id}
          data-align={column.align}
          data-pinned={column.pinned}
          className={column.className}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
});
