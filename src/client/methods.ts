/**
 * Methods of the client, as tables: a row names a call and its parameters, and the class of a table
 * has one method for each row, with the row's documentation.
 */
import type { CallId } from "../api/calls.ts";
import type { ApiCalls } from "./api-calls.ts";
import { newClientId } from "./credentials.ts";
import type { CallOptions } from "./retries.ts";
import type { Answer, Body, Query, Without } from "./route-types.ts";

/** Each row is a method that still needs the connection for its calls. */
type Table<Calls> = Readonly<Record<string, (calls: Calls) => unknown>>;

export type Methods<Rows> = {
  readonly [Name in keyof Rows]: Rows[Name] extends (calls: never) => infer Method ? Method : never;
};

/** The class whose objects have the methods of a table. */
export function classOf<Calls, Rows extends Table<Calls>>(rows: Rows & Table<Calls>) {
  class Client {
    constructor(calls: Calls) {
      for (const [name, row] of Object.entries(rows)) Object.assign(this, { [name]: row(calls) });
    }
  }
  return Client as new (
    calls: Calls,
  ) => Methods<Rows>;
}

/** A method and its parameters ahead of its options. */
type Row<Id extends CallId, Input extends unknown[]> = (
  calls: ApiCalls,
) => (...input: [...Input, options?: CallOptions]) => Promise<Answer<Id>>;

/** A call without parameters. */
export function call<Id extends CallId>(id: Id): Row<Id, []> {
  return (calls) => (options) => calls.call(id, {}, options);
}

export function query<Id extends CallId>(id: Id): Row<Id, [query: Query<Id>]> {
  return (calls) => (query, options) => calls.call(id, { query }, options);
}

/** The query is optional. */
export function optionalQuery<Id extends CallId>(id: Id): Row<Id, [query?: Query<Id>]> {
  return (calls) => (query, options) => calls.call(id, { query }, options);
}

export function body<Id extends CallId>(id: Id): Row<Id, [body: Body<Id>]> {
  return (calls) => (body, options) => calls.call(id, { body }, options);
}

/** The body is optional. */
export function optionalBody<Id extends CallId>(id: Id): Row<Id, [body?: Body<Id>]> {
  return (calls) => (body, options) => calls.call(id, { body: body ?? {} }, options);
}

/** A body with an id of the caller's; one is generated if it is missing. */
export function bodyWithId<Id extends CallId, Name extends keyof Body<Id> & string>(
  id: Id,
  name: Name,
): Row<Id, [body: Without<Body<Id>, Name>]> {
  return (calls) => (body, options) =>
    calls.call(id, { body: { [name]: newClientId(calls.runtime), ...body } }, options);
}
