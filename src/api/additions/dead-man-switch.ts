/** Routes of the dead-man switch. */
import Type from "typebox";
import { route } from "../route.ts";
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
const LIST = { tag: ADDITIONS_TAG, summary: "Active countdowns" } as const;

export const v3CancelAllAfterRoute = route("v3-cancel-all-after", {
  ...SET,
  description: CANCEL_AFTER_DESCRIPTION,
  body: BODY,
  answer: COUNTDOWN,
});

export const v3CountdownsRoute = route("v3-countdowns", {
  ...LIST,
  description: "The countdown for all markets first, then by symbol.",
  answer: Type.Array(COUNTDOWN),
});

export const contractCancelAllAfterRoute = route("contract-cancel-all-after", {
  ...SET,
  description:
    `${CANCEL_AFTER_DESCRIPTION} Conditional orders are cancelled too, including ` +
    "take-profit and stop-loss orders; positions stay open.",
  body: BODY,
  answer: COUNTDOWN,
});

export const contractCountdownsRoute = route("contract-countdowns", {
  ...LIST,
  description: "The countdown for all markets first, then by symbol.",
  answer: Type.Array(COUNTDOWN),
});
