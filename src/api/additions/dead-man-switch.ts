/** Routes of the dead-man switch. */
import Type from "typebox";
import { CONTRACT_READ, CONTRACT_WRITE } from "../contract/fields.ts";
import { route } from "../route.ts";
import { SPOT_READ, SPOT_WRITE } from "../v2/fields.ts";
import { ADDITIONS_TAG, CANCEL_AFTER_DESCRIPTION, COUNTDOWN, COUNTDOWN_MS } from "./fields.ts";

const OPTIONAL_SYMBOL = Type.Optional(
  Type.String({
    maxLength: 40,
    description: "Only this market; null, empty or not sent is every market",
    "x-refusal": "unknown-symbol",
    "x-empty-is-absent": true,
  }),
);

const BODY = Type.Object({ countdownMs: COUNTDOWN_MS, symbol: OPTIONAL_SYMBOL });
const SET = { tag: ADDITIONS_TAG, summary: "Cancel all orders after a countdown" } as const;
const LIST = { tag: ADDITIONS_TAG, summary: "Countdowns that are on" } as const;

export const v3CancelAllAfterRoute = route({
  ...SET,
  id: "v3-cancel-all-after",
  family: "v3",
  method: "POST",
  path: "/api/v3/order/cancelAllAfter",
  description: CANCEL_AFTER_DESCRIPTION,
  access: SPOT_WRITE,
  limit: { kind: "weight", ip: 1, uid: 5 },
  body: BODY,
  answer: COUNTDOWN,
});

export const v3CountdownsRoute = route({
  ...LIST,
  id: "v3-countdowns",
  family: "v3",
  method: "GET",
  path: "/api/v3/order/cancelAllAfter",
  description: "The one of every market first, then by symbol.",
  access: SPOT_READ,
  limit: { kind: "weight", ip: 1, uid: 1 },
  answer: Type.Array(COUNTDOWN),
});

export const contractCancelAllAfterRoute = route({
  ...SET,
  id: "contract-cancel-all-after",
  family: "capi",
  method: "POST",
  path: "/capi/v3/order/cancelAllAfter",
  description:
    `${CANCEL_AFTER_DESCRIPTION} Conditional orders are cancelled too, take-profits and ` +
    "stop-losses among them; positions stay open.",
  access: CONTRACT_WRITE,
  limit: { kind: "weight", ip: 1, uid: 5 },
  body: BODY,
  answer: COUNTDOWN,
});

export const contractCountdownsRoute = route({
  ...LIST,
  id: "contract-countdowns",
  family: "capi",
  method: "GET",
  path: "/capi/v3/order/cancelAllAfter",
  description: "The one of every market first, then by symbol.",
  access: CONTRACT_READ,
  limit: { kind: "weight", ip: 1, uid: 1 },
  answer: Type.Array(COUNTDOWN),
});
