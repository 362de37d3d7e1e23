/**
 * What a call of the operator plane is. The table of all calls (`calls/index.ts`) is the one
 * place that the server, the document of the interface and the authorization tests are made from.
 */
import type { Static, TSchema } from "typebox";
import type { OperatorPorts } from "./ports.ts";
import type { Refused } from "./refusal.ts";
import type { Turns } from "./turns.ts";

export interface CallDeclaration<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
> {
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Names in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** Refused unless the exchange was started with `--sandbox`. */
  readonly sandboxOnly?: true;
  readonly params: Params;
  readonly query: Query;
  /** What an empty body means is `{}`. */
  readonly body: Body;
  readonly answer: Answer;
}

export interface CallRequest<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Who asks: the header `X-Operator`, else "operator". */
  readonly actor: string;
}

export interface Plane extends OperatorPorts {
  /** Changes that read settings first and write them back whole take turns. */
  readonly turns: Turns;
  /** Nothing here is real: an index never is stale by default, and jumps as it is told. */
  readonly sandbox: boolean;
}

export type Outcome<Value> = { readonly ok: true; readonly value: Value } | Refused;

export interface Call extends CallDeclaration {
  handle(request: CallRequest<unknown, unknown, unknown>, plane: Plane): Promise<Outcome<unknown>>;
}

/** Declares a call with the types of its schemas; what arrives at `handle` has been validated. */
export function call<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Answer extends TSchema,
>(
  declaration: CallDeclaration<Params, Query, Body, Answer>,
  handle: (
    request: CallRequest<Static<Params>, Static<Query>, Static<Body>>,
    plane: Plane,
  ) => Promise<Outcome<Static<Answer>>>,
): Call {
  return { ...declaration, handle: handle as Call["handle"] };
}
