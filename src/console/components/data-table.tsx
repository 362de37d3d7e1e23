/** Tables with sortable columns; a row renders again only when its object changes. */
import { memo, type ReactElement, type ReactNode, useMemo, useState } from "react";
import styles from "./data-table.module.css";
import { useNarrow } from "./media.ts";

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
  /** Of the whole list, over the pinned column: "Cancel all". */
  readonly actions?: ReactNode;
  /** Cards instead of lines on a narrow screen. */
  readonly cards?: true;
  /** How the list is sorted until the user says otherwise. */
  readonly sorted?: Sorting;
}

interface Sorting {
  readonly columnId: string;
  readonly descending: boolean;
}

export function DataTable<Row>(props: DataTableProps<Row>): ReactElement {
  const { label, columns, rows, rowKey, empty, onRow, actions } = props;
  const [sorting, setSorting] = useState<Sorting | null>(props.sorted ?? null);
  const shown = useMemo(() => sorted(rows, columns, sorting), [rows, columns, sorting]);
  const isNarrow = useNarrow();
  if (rows.length === 0) return <div className={styles.empty}>{empty}</div>;
  if (isNarrow && props.cards === true) return <Cards {...props} rows={shown} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard as well
    <section className={styles.scroll} aria-label={label} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeaderCell
                key={column.id}
                column={column}
                sorting={sorting}
                actions={actions}
                onSort={setSorting}
              />
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

/** One card for a row: its first columns as the title, pinned ones at the foot. */
function Cards<Row>(props: DataTableProps<Row>): ReactElement {
  const { label, columns, rows, rowKey, actions } = props;
  const titles = columns.slice(0, CARD_TITLES);
  const figures = columns.slice(CARD_TITLES).filter(({ pinned }) => pinned !== true);
  const buttons = columns.filter(({ pinned }) => pinned === true);
  return (
    <section aria-label={label}>
      {actions === undefined ? null : <div className={styles.cardActions}>{actions}</div>}
      <ul className={styles.cards}>
        {rows.map((row) => (
          <li key={rowKey(row)} className={styles.card}>
            <div className={styles.cardTitle}>
              {titles.map((column) => (
                <span key={column.id}>{column.cell(row)}</span>
              ))}
            </div>
            <dl className={styles.cardFigures}>
              {figures.map((column) => (
                <div key={column.id}>
                  <dt>{column.header}</dt>
                  <dd>{column.cell(row)}</dd>
                </div>
              ))}
            </dl>
            {buttons.map((column) => (
              <div key={column.id} className={styles.cardButtons}>
                {column.cell(row)}
              </div>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

const CARD_TITLES = 3;

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
  readonly actions: ReactNode;
  readonly onSort: (sorting: Sorting | null) => void;
}

function HeaderCell<Row>(props: HeaderCellProps<Row>): ReactElement {
  const { column, sorting, actions, onSort } = props;
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
        {column.pinned === true ? (actions ?? column.header) : column.header}
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
