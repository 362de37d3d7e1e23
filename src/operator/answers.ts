/** Steps that many calls end with: a page of a list, and a question about the past. */

import { PAGE_LIMIT_DEFAULT } from "../api/operator/fields.ts";
import type { HistoryAnswer, HistoryQueryName, HistoryQuestion } from "../queries/history-port.ts";
import type { Outcome, Plane } from "./call.ts";

export interface Page<Item, Cursor> {
  readonly items: Item[];
  readonly next: Cursor | null;
}

export function done<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function pageLimit(query: { readonly limit?: number }): number {
  return query.limit ?? PAGE_LIMIT_DEFAULT;
}

/** `rows` are at most `limit`; a full page may be followed by an empty one. */
export function toPage<Row, Item, Cursor>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  cursorOf: (row: Row) => Cursor,
): Page<Item, Cursor> {
  const last = rows.length < limit ? undefined : rows.at(-1);
  return { items: rows.map(toItem), next: last === undefined ? null : cursorOf(last) };
}

/** A page of a short list that is held whole, in order of names. */
export function pageByName<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  query: { readonly after?: string; readonly limit?: number },
): { readonly rows: Row[]; readonly limit: number } {
  const limit = pageLimit(query);
  const after = query.after ?? "";
  const following = rows.filter((row) => nameOf(row) > after);
  following.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  return { rows: following.slice(0, limit), limit };
}

/** Asks the past as of `sequence`: what an answer before this one told is in it. */
export async function askHistory<Name extends HistoryQueryName>(
  plane: Plane,
  name: Name,
  question: HistoryQuestion<Name>,
  sequence: number,
): Promise<Outcome<HistoryAnswer<Name>>> {
  const reply = await plane.history.ask(name, question, sequence);
  return "unavailable" in reply
    ? { ok: false, unavailable: reply.unavailable }
    : done(reply.answer);
}
