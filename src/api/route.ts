/**
 * A route of the API: its row in the table of calls (`calls.ts`) and its schemas. The gateway, the
 * limits, the authorization tests and the OpenAPI document are made from `routes.ts`, which lists
 * all of them.
 */
import type { Static, TSchema } from "typebox";
import { CALLS, type Call, type CallId } from "./calls.ts";

/**
 * The envelope of a v2 answer. `message`: `{code: "00000", msg, requestTime, data}`. `timestamped`:
 * `{code: "200", data, timestamp}`. `merged`: the answer's own fields beside `code: "200"` and
 * `timestamp`.
 */
export type V2Envelope = "message" | "timestamped" | "merged";

/** The schemas and the documentation that a route adds to its row in the table of calls. */
interface Declaration<Query extends TSchema, Body extends TSchema, Answer extends TSchema> {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: Query;
  readonly body?: Body;
  /** Only for v2; default `message`. */
  readonly envelope?: V2Envelope;
  /** The contents of the envelope in v2, the whole body in the others. */
  readonly answer: Answer;
  /** Outside a sandbox the call is refused. */
  readonly sandboxOnly?: boolean;
  /** Other formats of the answer beside JSON, as media types. */
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

/** Declares the route of a call, keeping the types of its schemas. */
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
