/**
 * An endpoint: a route and its handler. When the handler runs, the caller is authenticated and the
 * input has the shape of the route's schemas; it parses the rest, queries or commands the engine,
 * and returns a value or a refusal. `http/reply.ts` adds envelopes and codes.
 */
import type { TSchema } from "typebox";
import type { ReadOf } from "../api/defaults.ts";
import type { Refusal } from "../api/errors.ts";
import type { AnswerOf, Route } from "../api/route.ts";
import type { Permission } from "../domain/index.ts";
import type { EngineClient, Unavailable } from "../protocol/index.ts";
import type { HistoryPort, HistoryUnavailable } from "../queries/history-port.ts";
import type { KeyDesk } from "./key-desk.ts";

/** `uid` is 0 on a public route. */
export interface Caller {
  readonly uid: number;
  readonly apiKey: string;
  readonly permissions: readonly Permission[];
}

export interface Exchange {
  readonly engine: EngineClient;
  readonly history: HistoryPort;
  readonly keyDesk: KeyDesk;
}

export interface EndpointRequest<Query, Body> {
  readonly caller: Caller;
  /** As it was verified; see `request-id.ts`. Empty on a public route. */
  readonly signature: string;
  readonly query: Query;
  readonly body: Body;
}

/** The answer, or why there is none. A `Rejection` of the engine is a `Refusal`. */
export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | Refusal
  | { readonly ok: false; readonly unavailable: (Unavailable | HistoryUnavailable)["unavailable"] };

/** What a route's handler reads: with the defaults of what was not sent. */
export type QueryInput<R> = R extends Route<infer Query, TSchema, TSchema> ? ReadOf<Query> : never;
export type BodyInput<R> = R extends Route<TSchema, infer Body, TSchema> ? ReadOf<Body> : never;

export interface Endpoint<R extends Route = Route> {
  readonly route: R;
  /** A promise only where there is something to wait for: each one costs a hot call dearly. */
  handle(
    request: EndpointRequest<QueryInput<R>, BodyInput<R>>,
    exchange: Exchange,
  ): Outcome<AnswerOf<R>> | Promise<Outcome<AnswerOf<R>>>;
  /** Writes the answer as JSON, in UTF-8 bytes where it is long. */
  stringify(value: AnswerOf<R>): string | Buffer;
  /** Of what `stringify` wrote, if that is not always JSON. */
  contentType?(value: AnswerOf<R>): string;
}

/** Declares an endpoint with its route's types. */
export function endpoint<R extends Route>(
  route: R,
  handle: Endpoint<R>["handle"],
  stringify: (value: AnswerOf<R>) => string | Buffer = JSON.stringify,
): Endpoint<R> {
  return { route, handle, stringify };
}

/** A handler that several endpoints share. */
export type Handler<R extends Route> = Endpoint<R>["handle"];
