/** The sandbox's traffic: fault rules, the log of requests, and waiting until all is quiet. */
import { type Static, Type } from "typebox";
import { ID_MAX } from "../../domain/index.ts";
import { ApiKey, Count, Fields, Flag, Nullable, OneOf, TimestampMs, Uid } from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Sandbox";

/** More rules an exchange does not have at a time. */
export const FAULT_RULES_MAX = 100;
/** No fault holds a request or a message back for longer. */
export const FAULT_MS_MAX = 600_000;
const GAP_MAX = 10_000;
const STATUS_MIN = 400;
const STATUS_MAX = 599;
const CODE_MAX = 999_999;
const RETRY_AFTER_S_MAX = 86_400;
const EXPIRES_MS_MAX = 31 * 86_400_000;
const SEED_MAX = 4_294_967_295;
const TEXT_MAX = 128;
/** Requests in one answer of the log. */
const REQUESTS_LIMIT_MAX = 1_000;

const FaultId = Type.String({
  pattern: "^[A-Za-z0-9._-]{1,64}$",
  description: "1 to 64 of A-Z a-z 0-9 . _ -",
});

function whole(minimum: number, maximum: number, what: string) {
  const description = `${what}: a whole number from ${minimum} to ${maximum}`;
  return Type.Integer({ minimum, maximum, description });
}

const Ms = whole(0, FAULT_MS_MAX, "milliseconds");

const Match = Type.Object(
  {
    uid: Type.Optional(Uid),
    apiKey: Type.Optional(ApiKey),
    address: Type.Optional(
      Type.String({ maxLength: TEXT_MAX, description: 'an IP address, such as "127.0.0.1"' }),
    ),
    route: Type.Optional(
      Type.String({
        maxLength: TEXT_MAX,
        description:
          'a call of the API, such as "POST /api/v3/order", "GET *" or "* /capi/*", or a method ' +
          'of the trading WebSocket, such as "order.place"',
      }),
    ),
    channel: Type.Optional(
      Type.String({
        maxLength: TEXT_MAX,
        description: 'a channel as named in subscriptions, such as "BTCUSDT@depth15" or "fill"',
      }),
    ),
  },
  { additionalProperties: false, description: "an object; an empty one matches everything" },
);

const When = Type.Object(
  {
    probability: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: "a number from 0 to 1" }),
    ),
    every: Type.Optional(whole(1, ID_MAX, "the number of matches per fault")),
    next: Type.Optional(whole(1, ID_MAX, "the number of matches that get the fault")),
    after: Type.Optional(whole(0, ID_MAX, "the number of matches to let pass first")),
  },
  {
    additionalProperties: false,
    description: "an object with one of probability, every, next and after",
  },
);

const Delay = Type.Object(
  {
    kind: Type.Literal("delay"),
    ms: Type.Union([Ms, Type.Array(Ms, { minItems: 2, maxItems: 2 })], {
      description: `milliseconds from 0 to ${FAULT_MS_MAX}, or a range of them, such as [50, 400]`,
    }),
    distribution: Type.Optional(OneOf(["uniform", "normal", "pareto"])),
  },
  { additionalProperties: false },
);

const FAULTS = [
  Delay,
  Fields({
    kind: Type.Literal("answer"),
    status: whole(STATUS_MIN, STATUS_MAX, "an HTTP status"),
    code: Type.Optional(whole(-CODE_MAX, CODE_MAX, "an error code")),
    retryAfterS: Type.Optional(whole(0, RETRY_AFTER_S_MAX, "seconds")),
  }),
  Fields({ kind: Type.Literal("drop-request") }),
  Fields({ kind: Type.Literal("drop-answer") }),
  Fields({ kind: Type.Literal("truncate-answer") }),
  Fields({ kind: Type.Literal("stall"), ms: Ms }),
  Fields({ kind: Type.Literal("cut") }),
  Fields({
    kind: Type.Literal("gap"),
    updates: whole(1, GAP_MAX, "messages to skip"),
  }),
  Fields({ kind: Type.Literal("freeze"), ms: Ms }),
  Fields({ kind: Type.Literal("duplicate") }),
] as const;

const AnyFault = Type.Union([...FAULTS], { description: "an object with a kind" });

const RULE = {
  match: Type.Optional(Match),
  when: Type.Optional(When),
  seed: Type.Optional(whole(0, SEED_MAX, "a seed")),
  expiresMs: Type.Optional(whole(1, EXPIRES_MS_MAX, "milliseconds from now")),
  fault: AnyFault,
};

const SetRule = Fields({
  id: FaultId,
  match: Match,
  when: When,
  seed: Type.Integer({ description: "seed of the random choices" }),
  expiresMs: Nullable(Type.Integer({ description: "milliseconds that the rule applies" })),
  fault: AnyFault,
  hits: Type.Integer({ description: "how often the rule has hit" }),
});

export type FaultMatch = Static<typeof Match>;
export type FaultWhen = Static<typeof When>;
export type Fault = Static<typeof AnyFault>;
export type DelayFault = Static<typeof Delay>;

export const setFault = operatorRoute("setFault", {
  tag: TAG,
  summary:
    "Set a fault rule for the requests and stream messages that it matches. It replaces a rule " +
    "with the same id and restarts its count",
  sandboxOnly: true,
  params: Fields({ id: FaultId }),
  body: Fields(RULE),
  answer: SetRule,
});

export const listFaults = operatorRoute("listFaults", {
  tag: TAG,
  summary: "List the fault rules in the order in which they apply, with their hits",
  sandboxOnly: true,
  answer: Fields({ items: Type.Array(SetRule) }),
});

export const getFault = operatorRoute("getFault", {
  tag: TAG,
  summary: "Get a fault rule with its hits",
  sandboxOnly: true,
  params: Fields({ id: FaultId }),
  answer: SetRule,
});

export const removeFault = operatorRoute("removeFault", {
  tag: TAG,
  summary: "Remove a fault rule; it no longer applies to requests that arrive after the response",
  sandboxOnly: true,
  params: Fields({ id: FaultId }),
  answer: SetRule,
});

export const clearFaults = operatorRoute("clearFaults", {
  tag: TAG,
  summary: "Remove all fault rules",
  sandboxOnly: true,
  answer: Fields({ removed: Count }),
});

const LoggedRequest = Fields({
  id: Type.Integer({ description: "number of the request since the start" }),
  time: TimestampMs,
  transport: OneOf(["http", "websocket"]),
  route: Type.String({ description: "such as POST /api/v3/order" }),
  method: Nullable(Type.String({ description: "of the trading WebSocket, such as order.place" })),
  uid: Type.Integer({ description: "0 for a public call or an unknown key" }),
  apiKey: Type.String(),
  address: Type.String(),
  status: Nullable(
    Type.Integer({ description: "null if the connection closed without a response" }),
  ),
  code: Nullable(Type.Union([Type.String(), Type.Integer()])),
  ms: Type.Number({ description: "milliseconds until the response" }),
  fault: Nullable(Type.String({ description: "the rule that hit it" })),
});

export type LoggedRequest = Static<typeof LoggedRequest>;

export const listRequests = operatorRoute("listRequests", {
  tag: TAG,
  summary:
    "List the last 10,000 requests over HTTP and the trading WebSocket, oldest first; `next` is" +
    " the `after` of the next page",
  sandboxOnly: true,
  query: Fields({
    uid: Type.Optional(Uid),
    after: Type.Optional(Count),
    limit: Type.Optional(whole(1, REQUESTS_LIMIT_MAX, "requests")),
  }),
  answer: Fields({ items: Type.Array(LoggedRequest), next: Count, isLast: Flag }),
});

export const waitUntilQuiet = operatorRoute("waitUntilQuiet", {
  tag: TAG,
  summary:
    "Wait until everything that has happened is in the history and has been sent on all " +
    "streams; at most 10 seconds",
  sandboxOnly: true,
  answer: Fields({ sequence: Count }),
});
