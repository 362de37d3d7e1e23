/** A call of the operator API: its route and what answers it. */
import type { Static, TSchema } from "typebox";
import type { OperatorCallId } from "../api/operator/calls.ts";
import type { OperatorRoute } from "../api/operator/route.ts";
import type { OperatorPorts } from "./ports.ts";
import type { Refused } from "./refusal.ts";
import type { Turns } from "./turns.ts";

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

export interface Call extends OperatorRoute {
  handle(request: CallRequest<unknown, unknown, unknown>, plane: Plane): Promise<Outcome<unknown>>;
}

/** Implements a route; what arrives at `answer` has been validated. */
export function handle<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Answer extends TSchema,
>(
  route: OperatorRoute<OperatorCallId, Params, Query, Body, Answer>,
  answer: (
    request: CallRequest<Static<Params>, Static<Query>, Static<Body>>,
    plane: Plane,
  ) => Promise<Outcome<Static<Answer>>>,
): Call {
  return { ...route, handle: answer as Call["handle"] };
}
