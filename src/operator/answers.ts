/** Shared results of calls: a page of a list, or a query of the history. */

import { PAGE_LIMIT_DEFAULT } from "../api/operator/fields.ts";
import type { HistoryAnswer, HistoryQueryName, HistoryQuestion } from "../queries/history-port.ts";
import type { OperatorContext, Outcome } from "./call.ts";

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

/** A page of a short list that is in memory, sorted by name. */
export function pageByName<Row, Item>(
  reply: Outcome<readonly Row[]>,
  query: { readonly after?: string; readonly limit?: number },
  nameOf: (row: Row) => string,
  toItem: (row: Row) => Item,
): Outcome<Page<Item, string>> {
  if (!reply.ok) return reply;
  const limit = pageLimit(query);
  const after = query.after ?? "";
  const following = reply.value.filter((row) => nameOf(row) > after);
  following.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  return done(toPage(following.slice(0, limit), limit, toItem, nameOf));
}

/** Queries the history as of `sequence`, so it includes everything that earlier answers showed. */
export async function queryHistory<Name extends HistoryQueryName>(
  context: OperatorContext,
  name: Name,
  question: HistoryQuestion<Name>,
  sequence: number,
): Promise<Outcome<HistoryAnswer<Name>>> {
  const reply = await context.history.query(name, question, sequence);
  return "unavailable" in reply
    ? { ok: false, unavailable: reply.unavailable }
    : done(reply.answer);
}
