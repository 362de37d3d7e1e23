/** A call of the operator API: its route and its handler. */
import type { Static, TSchema } from "typebox";
import type { OperatorCallId } from "../api/operator/calls.ts";
import type { OperatorRoute } from "../api/operator/route.ts";
import type { Caller } from "./caller.ts";
import type { Mutex } from "./mutex.ts";
import type { OperatorPorts } from "./ports.ts";
import type { Refused } from "./refusal.ts";
import type { RunningReplays } from "./replays.ts";

export interface CallRequest<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  /** The caller's name in the audit log. */
  readonly actor: string;
}

export interface OperatorContext extends OperatorPorts {
  /** For changes that read settings first and write them back whole. */
  readonly mutex: Mutex;
  readonly replays: RunningReplays;
  /** In a sandbox, an index is never stale by default, and may jump. */
  readonly sandbox: boolean;
}

export type Outcome<Value> = { readonly ok: true; readonly value: Value } | Refused;

export interface Call extends OperatorRoute {
  handle(
    request: CallRequest<unknown, unknown, unknown>,
    context: OperatorContext,
  ): Promise<Outcome<unknown>>;
}

/** Implements a route; the input of `answer` is already validated. */
export function handle<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Answer extends TSchema,
>(
  route: OperatorRoute<OperatorCallId, Params, Query, Body, Answer>,
  answer: (
    request: CallRequest<Static<Params>, Static<Query>, Static<Body>>,
    context: OperatorContext,
  ) => Promise<Outcome<Static<Answer>>>,
): Call {
  return { ...route, handle: answer as Call["handle"] };
}
