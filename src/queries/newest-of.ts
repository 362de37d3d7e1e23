/**
 * One list of several that have an index each. A user's markets are few, and an index over all of
 * them would cost every order that is written more than reading them side by side costs a question.
 */
import type { CompiledQuery } from "kysely";
import type { Db } from "./history-query.ts";

/** One list, newest first, by limit and offset. */
export interface Source<Row> {
  /** From the index alone. Ids grow with time, and no two sources have the same. */
  ids(limit: number, offset: number): Promise<readonly number[]>;
  rows(limit: number, offset: number): Promise<readonly Row[]>;
}

interface Reading {
  readonly ids: number[];
  isAtEnd: boolean;
}

/** Ids that a source is asked for beyond its share: sources are seldom of one pace. */
const IDS_AHEAD = 10;

/** The `limit` newest rows of all sources behind the `offset` newest. */
export async function newestOf<Row>(
  sources: readonly Source<Row>[],
  idOf: (row: Row) => number,
  offset: number,
  limit: number,
): Promise<Row[]> {
  const [first] = sources;
  if (first === undefined) return [];
  if (sources.length === 1) return [...(await first.rows(limit, offset))];
  const readings = await readIds(sources, offset + limit);
  const newest = newestIds(readings, offset + limit);
  const [from, to] = [newest[offset], newest.at(-1)];
  if (from === undefined || to === undefined) return [];
  const found: Row[] = [];
  for (const [i, { ids }] of readings.entries()) {
    const before = ids.filter((id) => id > from).length;
    const count = ids.filter((id) => id >= to).length - before;
    if (count > 0) found.push(...((await sources[i]?.rows(count, before)) ?? []));
  }
  return found.sort((left, right) => idOf(right) - idOf(left));
}

/**
 * Reads every source until the `count` newest ids are among what was read: in parts that double,
 * and at most its first `count` ids.
 */
async function readIds(
  sources: readonly Source<unknown>[],
  count: number,
): Promise<readonly Reading[]> {
  const readings: Reading[] = sources.map(() => ({ ids: [], isAtEnd: false }));
  const share = Math.ceil(count / sources.length) + IDS_AHEAD;
  for (let oldest = Number.NEGATIVE_INFINITY, isDone = false; !isDone; ) {
    isDone = true;
    for (const [i, reading] of readings.entries()) {
      const { ids, isAtEnd } = reading;
      if (isAtEnd || (ids.at(-1) ?? Number.POSITIVE_INFINITY) <= oldest) continue;
      const limit = Math.min(Math.max(share, ids.length), count - ids.length);
      const more = (await sources[i]?.ids(limit, ids.length)) ?? [];
      ids.push(...more);
      reading.isAtEnd = more.length < limit || ids.length >= count;
      isDone = false;
    }
    oldest = newestIds(readings, count)[count - 1] ?? Number.NEGATIVE_INFINITY;
  }
  return readings;
}

function newestIds(readings: readonly Reading[], count: number): number[] {
  const all = readings.flatMap(({ ids }) => ids);
  return all.sort((left, right) => right - left).slice(0, count);
}

/** The values of an index's column, by one look-up each: `next` finds the next value. */
export async function distinct(
  next: (after: string) => Promise<string | undefined>,
): Promise<string[]> {
  const found: string[] = [];
  for (let value = await next(""); value !== undefined; value = await next(value)) {
    found.push(value);
  }
  return found;
}

/**
 * A query that is asked many times: building it costs more than its answer. The parameters are the
 * values of its conditions, limit and offset, in the order of the query.
 */
export function repeated<Row>(
  db: Db,
  query: { compile(): CompiledQuery<Row> },
): (...parameters: (string | number)[]) => Promise<Row[]> {
  const compiled = query.compile();
  return async (...parameters) => (await db.executeQuery<Row>({ ...compiled, parameters })).rows;
}
