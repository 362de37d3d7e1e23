/**
 * Rows that are numbered from 1 in the order of their times: a range of time is a range of numbers,
 * a total is a subtraction, and a page a range again, at any depth.
 */
import type { SelectQueryBuilder } from "kysely";
import type { HistoryTables, Row, TableName } from "../store/index.ts";
import type { Db } from "./history-query.ts";
import { type Page, type Paged, rangeBounds, type TimeRange } from "./ranges.ts";

/** Empty when `last` is less than `first`. */
export interface OrdinalRange {
  readonly first: number;
  readonly last: number;
}

type ColumnOf<Name extends TableName> = keyof Row<Name> & string;

/** Kysely cannot follow a table that is a parameter: this one stands for all. */
type AnyRows = SelectQueryBuilder<HistoryTables, "affiliate_entries", object>;
type AnyColumn = "ordinal";

export class NumberedRows<Name extends TableName> {
  readonly #rows: AnyRows;
  readonly #ordinal: AnyColumn;

  /** The rows that equal `filter`, numbered by `ordinal`. */
  constructor(db: Db, table: Name, filter: Partial<Row<Name>>, ordinal: ColumnOf<Name>) {
    const rows = db.selectFrom(table as "affiliate_entries");
    this.#rows = rows.where((is) => is.and(filter as Partial<Row<"affiliate_entries">>));
    this.#ordinal = ordinal as AnyColumn;
  }

  /**
   * Those between two values of a column that grows with the numbers, in two look-ups. `order` is
   * that column, then the columns that order equal values.
   */
  async between(
    order: readonly ColumnOf<Name>[],
    from: unknown,
    to: unknown,
  ): Promise<OrdinalRange> {
    const [column] = order as readonly AnyColumn[];
    const sorted = (direction: "asc" | "desc") =>
      (order as readonly AnyColumn[]).reduce(
        (rows, by) => rows.orderBy(by, direction),
        this.#rows.select(`${this.#ordinal} as ordinal`).limit(1),
      );
    const oldest = await sorted("asc")
      .where(column as AnyColumn, ">=", from as number)
      .executeTakeFirst();
    const newest = await sorted("desc")
      .where(column as AnyColumn, "<=", to as number)
      .executeTakeFirst();
    if (oldest === undefined || newest === undefined) return { first: 1, last: 0 };
    return { first: oldest.ordinal, last: newest.ordinal };
  }

  /** Those of a range of `time_ms`, in as many look-ups as the count has binary digits. */
  async inTime(time: TimeRange): Promise<OrdinalRange> {
    const ordinals = this.#rows.select(`${this.#ordinal} as ordinal`).limit(1);
    const newest = await ordinals.orderBy(this.#ordinal, "desc").executeTakeFirst();
    const times = this.#rows.select("time_ms").limit(1);
    const timeOf = async (at: number) =>
      (await times.where(this.#ordinal, "=", at).executeTakeFirstOrThrow()).time_ms;
    return await ordinalsIn({ count: newest?.ordinal ?? 0, timeOf }, time);
  }

  /** Newest first. */
  async page(range: OrdinalRange, page: Page): Promise<Paged<Row<Name>>> {
    const total = totalOf(range);
    if (total === 0) return { rows: [], total };
    const { first, last } = pageOf(range, page);
    const rows = await this.#rows
      .selectAll()
      .where(this.#ordinal, ">=", first)
      .where(this.#ordinal, "<=", last)
      .orderBy(this.#ordinal, "desc")
      .limit(page.pageSize)
      .execute();
    return { rows: rows as unknown as Row<Name>[], total };
  }
}

/** What a search needs to know of the rows. */
export interface TimedRows {
  /** How many there are. */
  readonly count: number;
  readonly timeOf: (ordinal: number) => Promise<number>;
}

export async function ordinalsIn(rows: TimedRows, time: TimeRange): Promise<OrdinalRange> {
  const [fromMs, toMs] = rangeBounds(time);
  if (fromMs > toMs) return { first: 1, last: 0 };
  const last = time.toMs === null ? rows.count : await countBefore(rows, toMs + 1);
  const before = time.fromMs === null ? 0 : await countBefore({ ...rows, count: last }, fromMs);
  return { first: before + 1, last };
}

export function totalOf({ first, last }: OrdinalRange): number {
  return Math.max(0, last - first + 1);
}

/** The numbers of a page, counted from the newest row. */
export function pageOf({ first, last }: OrdinalRange, { page, pageSize }: Page): OrdinalRange {
  const lastOfPage = last - (page - 1) * pageSize;
  return { first: Math.max(first, lastOfPage - pageSize + 1), last: lastOfPage };
}

/** How many rows happened before a time. */
async function countBefore({ count, timeOf }: TimedRows, timeMs: number): Promise<number> {
  if (count === 0 || (await timeOf(count)) < timeMs) return count;
  let known = 0;
  let beyond = count;
  while (beyond - known > 1) {
    const middle = Math.floor((known + beyond) / 2);
    if ((await timeOf(middle)) < timeMs) known = middle;
    else beyond = middle;
  }
  return known;
}
