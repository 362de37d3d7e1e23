/** Operators: people and programs with a role and a token of their own. */
import { Type } from "typebox";
import {
  Fields,
  Limit,
  Nullable,
  OperatorName,
  OptionalReason,
  PageOf,
  Role,
  TimestampMs,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Operators";

const OneOperator = Fields({ name: OperatorName });

const Operator = Fields({
  name: OperatorName,
  role: Role,
  expiresAt: Nullable(TimestampMs),
  addedAt: TimestampMs,
  removedAt: Nullable(TimestampMs),
});

/** `name.role.random`, with the role of when it was drawn. */
const NewToken = Fields({ name: OperatorName, token: Type.String() });

export const addOperator = operatorRoute("addOperator", {
  tag: TAG,
  mayWait: true,
  summary: "Add an operator; only this response shows the token",
  body: Fields({
    name: OperatorName,
    role: Role,
    expiresAt: Type.Optional(Nullable(TimestampMs)),
  }),
  answer: NewToken,
});

export const listOperators = operatorRoute("listOperators", {
  tag: TAG,
  summary: "List operators by name, removed ones included",
  query: Fields({ after: Type.Optional(OperatorName), limit: Type.Optional(Limit) }),
  answer: PageOf(Operator, OperatorName),
});

export const getOperator = operatorRoute("getOperator", {
  tag: TAG,
  summary: "Get an operator",
  params: OneOperator,
  answer: Operator,
});

export const updateOperator = operatorRoute("updateOperator", {
  tag: TAG,
  mayWait: true,
  summary: "Change an operator's role and expiry at once; omitted fields keep their values",
  params: OneOperator,
  body: Fields({
    role: Type.Optional(Role),
    expiresAt: Type.Optional(Nullable(TimestampMs)),
  }),
  answer: Operator,
});

export const rotateToken = operatorRoute("rotateToken", {
  tag: TAG,
  mayWait: true,
  summary: "Give an operator a new token; the old one is rejected from then on",
  params: OneOperator,
  answer: NewToken,
});

export const removeOperator = operatorRoute("removeOperator", {
  tag: TAG,
  summary: "Remove an operator; the token is rejected, and the name is not used again",
  params: OneOperator,
  query: Fields({ reason: OptionalReason }),
  answer: Operator,
});

export const getCaller = operatorRoute("getCaller", {
  tag: TAG,
  summary: "Get the caller's own name, role and expiry",
  answer: Fields({ name: Type.String(), role: Role, expiresAt: Nullable(TimestampMs) }),
});
