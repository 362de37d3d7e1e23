/**
 * The client of the operator API. Its token has full access: keep it in a process of the
 * operator's, never in a page that others open.
 */
import { OPERATOR_CALLS, type OperatorCall, type OperatorCallId } from "../api/operator/calls.ts";
import { HttpCalls, type HttpOptions } from "./http-calls.ts";
import { classOf } from "./methods.ts";
import type { OperatorAnswer, OperatorInput } from "./operator-types.ts";
import type { CallOptions } from "./retries.ts";

export interface OperatorClientOptions extends HttpOptions {
  readonly token: string;
  /**
   * The caller's name for the audit log: 1 to 64 of A-Z a-z 0-9 . _ @ : / + -. Default "operator".
   */
  readonly actor?: string | undefined;
}

type Method<Id extends OperatorCallId> = keyof OperatorInput<Id> extends never
  ? (options?: CallOptions) => Promise<OperatorAnswer<Id>>
  : object extends OperatorInput<Id>
    ? (input?: OperatorInput<Id>, options?: CallOptions) => Promise<OperatorAnswer<Id>>
    : (input: OperatorInput<Id>, options?: CallOptions) => Promise<OperatorAnswer<Id>>;

/** Calls without parameters: the first argument of their methods is the options. */
const WITHOUT_INPUT: Readonly<Record<CallWithoutInput, true>> = {
  getAffiliatePolicy: true,
  getInvariants: true,
  getCaller: true,
  listApprovalRules: true,
  listDepositRules: true,
  listWebhooks: true,
  getCustodyBalances: true,
  getStatus: true,
  getCluster: true,
  listHealthSamples: true,
  makeSnapshot: true,
  getClock: true,
  clearFaults: true,
  listReplays: true,
  listFaults: true,
  waitUntilQuiet: true,
  listCheckpoints: true,
  resetExchange: true,
  markResetState: true,
};

type CallWithoutInput = {
  [Id in OperatorCallId]: keyof OperatorInput<Id> extends never ? Id : never;
}[OperatorCallId];

/** A row for each call, with its documentation. */
type Rows = { readonly [Id in keyof typeof OPERATOR_CALLS]: (http: HttpCalls) => Method<Id> };

const ROWS = Object.fromEntries(
  Object.entries(OPERATOR_CALLS).map(([id, call]) => {
    const row = (http: HttpCalls) => (input?: object, options?: CallOptions) =>
      send(http, call, input ?? {}, options);
    const rowWithoutInput = (http: HttpCalls) => (options?: CallOptions) =>
      send(http, call, {}, options);
    return [id, id in WITHOUT_INPUT ? rowWithoutInput : row];
  }),
) as Rows;

/**
 * A method for each call. Parameters of the path, the query and the body are fields of one object.
 */
export class OperatorClient extends classOf(ROWS) {
  constructor({ token, actor, ...options }: OperatorClientOptions) {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
    if (actor !== undefined) headers["X-Operator"] = actor;
    const authorizer = { headers: async () => ({ ...headers }), recover: async () => false };
    super(new HttpCalls(options, authorizer));
  }
}

/** Fills the path parameters from `input`; the rest is the query or the body. */
function send(
  http: HttpCalls,
  call: OperatorCall,
  input: object,
  options: CallOptions | undefined,
): Promise<unknown> {
  const rest = new Map(Object.entries(input));
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  const given = rest.size === 0 ? undefined : Object.fromEntries(rest);
  const isQuery = call.method === "GET" || call.method === "DELETE";
  const sent = isQuery ? { query: given } : { body: given };
  return http.json({ ...call, family: "operator", path, access: null }, sent, options);
}
