/** Schemas shared by the routes that Rialto adds to each family of the API. */
import Type from "typebox";
import { ORDER_STATUSES } from "../../domain/index.ts";
import { CLIENT_ORDER_ID, decimal, decimalInput, timeMs } from "../v3/fields.ts";

export const ADDITIONS_TAG = "Rialto additions";

/** `{}`: the order would be accepted; there is nothing else to report. */
export const WOULD_BE_ACCEPTED = Type.Object({}, { description: "The order would be accepted" });

export const TEST_DESCRIPTION =
  "Takes the same body, signature and permission as the order itself, runs the same " +
  "checks and returns the same error. It places nothing, changes nothing and uses up " +
  "no id. An order that would be accepted but end at once, such as a post-only order " +
  "that would trade, passes the test.";

export const AMEND_DESCRIPTION =
  "Amends a resting order. quantity is the new total quantity of the order and must " +
  "exceed what is already filled; omitted fields stay as they are. Reducing only the " +
  "quantity keeps the order's place in the queue. Any other change is a cancel and a " +
  "new placement in one step under the same order id: it passes the checks of a new " +
  "order, with its own frozen funds counted as available, moves behind all other " +
  "orders at its price, and may trade at once. A post-only order that would trade is " +
  "rejected. A rejected amendment leaves the order unchanged; repeating an amendment " +
  "has no further effect.";

/** At least one of them is required. */
export const NEW_TERMS = {
  price: Type.Optional(decimalInput("New price, decimal text")),
  quantity: Type.Optional(decimalInput("New quantity of the whole order, decimal text")),
} as const;

export const ORIG_CLIENT_ORDER_ID = Type.Optional(CLIENT_ORDER_ID);

/** The order as it is after its amendment, with the names of version 3. */
export const AMENDED_ORDER = {
  symbol: Type.String({ description: "Trading pair" }),
  clientOrderId: Type.String({ description: "The caller's own id, unchanged" }),
  price: decimal("Price"),
  origQty: decimal("Total quantity of the order"),
  executedQty: decimal("Quantity filled"),
  status: Type.Enum(ORDER_STATUSES, {
    description: "NEW while it is open; an amended order may trade and end at once",
  }),
  keptPriority: Type.Boolean({
    description: "Whether it kept its place in the queue at its price",
  }),
  updateTime: timeMs("Last changed at"),
  lastUpdateId: Type.Integer({
    description: "Version of the book after it, as in depth; of a repeated amendment, now",
  }),
} as const;

const COUNTDOWN_MAX_MS = 86_400_000;

export const COUNTDOWN_MS = Type.Integer({
  minimum: 0,
  maximum: COUNTDOWN_MAX_MS,
  description: `Milliseconds from 1000 to ${COUNTDOWN_MAX_MS}; 0 switches off`,
  "x-refusal": "parameter-out-of-range",
});

/** One of the caller's countdowns. */
export const COUNTDOWN = Type.Object({
  symbol: Type.Union([Type.String(), Type.Null()], { description: "Null for all markets" }),
  countdownMs: Type.Integer({ description: "The value set; 0 when it is off" }),
  firesAt: Type.Integer({ description: "When it fires, Unix milliseconds; 0 when it is off" }),
  isHeld: Type.Boolean({
    description:
      "It has fired, but a halted market still holds orders; it fires again when the " +
      "market resumes",
  }),
});

export const CANCEL_AFTER_DESCRIPTION =
  "Starts a countdown that cancels the caller's open orders when it expires, in one " +
  "market or in all markets of this product. Every call restarts its countdown, so a " +
  "client that calls every few seconds keeps its orders only while it is alive. " +
  "Countdowns for single markets and the one for all markets run independently. They " +
  "continue while the exchange is down; a countdown that expires meanwhile fires at " +
  "the next start. A halted market keeps its orders until it resumes.";
