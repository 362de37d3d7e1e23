/**
 * A route of the API: its row in the table of calls (`calls.ts`) and its schemas. The gateway, the
 * limits, the authorization tests and the OpenAPI document are made from `routes.ts`, which lists
 * all of them.
 */
import type { Static, TSchema } from "typebox";
import { CALLS, type Call, type CallId } from "./calls.ts";

/**
 * What a v2 answer stands in. `message`: `{code: "00000", msg, requestTime, data}`. `timestamped`:
 * `{code: "200", data, timestamp}`. `merged`: the answer's own fields beside `code: "200"` and
 * `timestamp`.
 */
export type V2Envelope = "message" | "timestamped" | "merged";

/** What a route adds to its row in the table of calls: its schemas and its documentation. */
interface Declaration<Query extends TSchema, Body extends TSchema, Answer extends TSchema> {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: Query;
  readonly body?: Body;
  /** Of v2 alone; `message` where it is not said. */
  readonly envelope?: V2Envelope;
  /** What the envelope holds for v2, the whole body for the others. */
  readonly answer: Answer;
  /** Other forms that the answer may take than JSON, as media types. */
  readonly answerMedia?: readonly string[];
}

export interface Route<
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
> extends Call,
    Declaration<Query, Body, Answer> {
  readonly id: string;
}

/** Declares the route of a call, with the types of its schemas kept. */
export function route<
  const Id extends CallId,
  Query extends TSchema,
  Body extends TSchema,
  Answer extends TSchema,
>(
  id: Id,
  declaration: Declaration<Query, Body, Answer>,
): Route<Query, Body, Answer> & { readonly id: Id } {
  return { id, ...CALLS[id], ...declaration };
}

export type QueryOf<R> = R extends Route<infer Query, TSchema, TSchema> ? Static<Query> : never;
export type BodyOf<R> = R extends Route<TSchema, infer Body, TSchema> ? Static<Body> : never;
export type AnswerOf<R> = R extends Route<TSchema, TSchema, infer Answer> ? Static<Answer> : never;
