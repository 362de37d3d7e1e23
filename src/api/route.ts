/**
 * What a route of the interface is. The table of all routes (`routes.ts`) is the one place that the
 * gateway, the limits, the authorization tests, the OpenAPI document and the client are made from.
 */
import type { Static, TSchema } from "typebox";
import type { Permission } from "../domain/index.ts";

/**
 * `v2` answers in envelopes with text codes, `v3` (spot) and `capi` (contracts) bare with negative
 * numbers for errors, of which contracts have some of their own.
 */
export type Family = "v2" | "v3" | "capi";

/**
 * What a v2 answer stands in. `message`: `{code: "00000", msg, requestTime, data}`. `timestamped`:
 * `{code: "200", data, timestamp}`. `merged`: the answer's own fields beside `code: "200"` and
 * `timestamp`.
 */
export type V2Envelope = "message" | "timestamped" | "merged";

/**
 * `rate`: so many requests a second per user (per address where unsigned). `weight`: 500 per 10 s,
 * per endpoint.
 */
export type Limit =
  | { readonly kind: "rate"; readonly perSecond: number }
  | { readonly kind: "weight"; readonly ip: number; readonly uid: number };

/** `anyOf`: a key with one of these permissions may call. Null: no signature needed. */
export type Access = { readonly anyOf: readonly Permission[] } | null;

export interface Route<
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
> {
  readonly id: string;
  readonly family: Family;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** Other spellings that clients sign, e.g. with a trailing slash. */
  readonly aliases?: readonly string[];
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly limit: Limit;
  /** Also counted in X-ORDER-COUNT-1S. */
  readonly countsAsOrder?: boolean;
  readonly query?: Query;
  readonly body?: Body;
  /** Of v2 alone; `message` where it is not said. */
  readonly envelope?: V2Envelope;
  /** What the envelope holds for v2, the whole body for the others. */
  readonly answer: Answer;
  /** Other forms that the answer may take than JSON, as media types. */
  readonly answerMedia?: readonly string[];
}

/** Declares a route with its schemas' types kept. */
export function route<
  const Id extends string,
  Query extends TSchema,
  Body extends TSchema,
  Answer extends TSchema,
>(
  declaration: Route<Query, Body, Answer> & { readonly id: Id },
): Route<Query, Body, Answer> & { readonly id: Id } {
  return declaration;
}

export type QueryOf<R> = R extends Route<infer Query, TSchema, TSchema> ? Static<Query> : never;
export type BodyOf<R> = R extends Route<TSchema, infer Body, TSchema> ? Static<Body> : never;
export type AnswerOf<R> = R extends Route<TSchema, TSchema, infer Answer> ? Static<Answer> : never;
