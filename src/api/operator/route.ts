/** A route of the operator API: a row of the table of calls, and its schemas. */
import type { TSchema } from "typebox";
import { OPERATOR_CALLS, type OperatorCall, type OperatorCallId } from "./calls.ts";
import { Nothing } from "./fields.ts";

interface Schemas<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Answer extends TSchema,
> {
  readonly params: Params;
  readonly query: Query;
  /** An empty body counts as `{}`. */
  readonly body: Body;
  readonly answer: Answer;
}

interface Description {
  readonly tag: string;
  readonly summary: string;
  /** Rejected unless the exchange was started with `--sandbox`. */
  readonly sandboxOnly?: true;
  /** 202 while it waits for a second operator. */
  readonly mayWait?: true;
}

export interface OperatorRoute<
  Id extends OperatorCallId = OperatorCallId,
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
> extends OperatorCall,
    Description,
    Schemas<Params, Query, Body, Answer> {
  readonly id: Id;
}

/** Declares a route, keeping the types of its schemas. */
export function operatorRoute<
  Id extends OperatorCallId,
  Answer extends TSchema,
  Params extends TSchema = typeof Nothing,
  Query extends TSchema = typeof Nothing,
  Body extends TSchema = typeof Nothing,
>(
  id: Id,
  {
    params = Nothing as TSchema as Params,
    query = Nothing as TSchema as Query,
    body = Nothing as TSchema as Body,
    ...rest
  }: Description &
    Pick<Schemas<Params, Query, Body, Answer>, "answer"> &
    Partial<Schemas<Params, Query, Body, Answer>>,
): OperatorRoute<Id, Params, Query, Body, Answer> {
  return { id, ...OPERATOR_CALLS[id], params, query, body, ...rest };
}
