/**
 * Calls an endpoint as the gateway does: checks the request by its schemas and runs its handler.
 */
import assert from "node:assert/strict";
import Value from "typebox/value";
import type { Endpoint, Exchange, Outcome } from "../../src/gateway/endpoint.ts";
import { InputShape } from "../../src/gateway/http/input-shape.ts";
import { callerOf } from "./exchange-double.ts";

export interface EndpointInput {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The user whose orders stand in the spot fixture. */
export const CALLER_UID = 9;

/** Of every signed request here. */
export const CALLER_SIGNATURE = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=";

export async function callEndpoint(
  endpoint: Endpoint,
  { query = {}, body = {} }: EndpointInput,
  exchange: Exchange,
): Promise<Outcome<unknown>> {
  const { route } = endpoint;
  const readQuery = new InputShape(route.query).readQuery(new Map(Object.entries(query)));
  if (!readQuery.ok) return readQuery;
  const readBody = new InputShape(route.body).readBody(body);
  if (!readBody.ok) return readBody;
  const caller = callerOf(route.access === null ? 0 : CALLER_UID);
  const request = { caller, signature: CALLER_SIGNATURE, query: readQuery.value };
  return await endpoint.handle({ ...request, body: readBody.value }, exchange);
}

/** The answer as a client parses it, of the form that the route promises. */
export async function answerOf(
  endpoint: Endpoint,
  input: EndpointInput,
  exchange: Exchange,
): Promise<unknown> {
  const outcome = await callEndpoint(endpoint, input, exchange);
  assert.ok(outcome.ok, JSON.stringify(outcome));
  const answer: unknown = JSON.parse(String(endpoint.stringify(outcome.value)));
  const errors = Value.Errors(endpoint.route.answer, answer);
  assert.deepEqual(errors, [], JSON.stringify(answer));
  return answer;
}

/** Reason and field of a refusal. */
export async function refusalOf(
  endpoint: Endpoint,
  input: EndpointInput,
  exchange: Exchange,
): Promise<readonly [reason: string, field: string | null]> {
  const outcome = await callEndpoint(endpoint, input, exchange);
  assert.ok(!outcome.ok && "reason" in outcome, JSON.stringify(outcome));
  return [outcome.reason, outcome.field];
}
