/** What the routes share that Rialto adds to each family of the API. */
import Type from "typebox";
import { ORDER_STATUSES } from "../../domain/index.ts";
import { CLIENT_ORDER_ID, decimal, decimalInput, timeMs } from "../v3/fields.ts";

export const ADDITIONS_TAG = "Rialto additions";

/** `{}`: there is nothing to say but that the order would be accepted. */
export const WOULD_BE_ACCEPTED = Type.Object({}, { description: "The order would be accepted" });

export const TEST_DESCRIPTION =
  "The same body, signature, permission and checks as the order itself at this moment, and " +
  "the same refusal. It places nothing, changes nothing and takes no id. An order that " +
  "would be accepted and end at once, as a post-only order that would trade, is accepted " +
  "here too.";

export const AMEND_DESCRIPTION =
  "Only for an order that rests in the book. quantity is the new quantity of the whole " +
  "order, more than what is filled; what is not sent stays. With less quantity alone the " +
  "order keeps its place; any other change is a cancel and a placement in one, under the " +
  "same order id: it passes the checks of a new order, with what the old form has frozen " +
  "counted in, goes behind all others at its price, and may trade at once. A post-only " +
  "order that would trade is refused. A refusal leaves the order as it was; repeating an " +
  "amendment changes nothing more.";

/** At least one of them is needed. */
export const NEW_TERMS = {
  price: Type.Optional(decimalInput("New price, decimal text")),
  quantity: Type.Optional(decimalInput("New quantity of the whole order, decimal text")),
} as const;

export const ORIG_CLIENT_ORDER_ID = Type.Optional(CLIENT_ORDER_ID);

/** The order as it is after its amendment, with the names of version 3. */
export const AMENDED_ORDER = {
  symbol: Type.String({ description: "Trading pair" }),
  clientOrderId: Type.String({ description: "The caller's own id, as before" }),
  price: decimal("Price"),
  origQty: decimal("Quantity of the whole order"),
  executedQty: decimal("Quantity filled"),
  status: Type.Enum(ORDER_STATUSES, {
    description: "NEW while it is open; its new form may have ended it at once",
  }),
  keptPriority: Type.Boolean({ description: "It kept its place in the queue of its price" }),
  updateTime: timeMs("Last changed at"),
} as const;

const COUNTDOWN_MAX_MS = 86_400_000;

export const COUNTDOWN_MS = Type.Integer({
  minimum: 0,
  maximum: COUNTDOWN_MAX_MS,
  description: `Milliseconds from 1000 to ${COUNTDOWN_MAX_MS}; 0 switches off`,
  "x-refusal": "parameter-out-of-range",
});

/** A countdown of the caller's. */
export const COUNTDOWN = Type.Object({
  symbol: Type.Union([Type.String(), Type.Null()], { description: "Null for every market" }),
  countdownMs: Type.Integer({ description: "As it was set; 0 when it is off" }),
  firesAt: Type.Integer({ description: "When it ends, Unix milliseconds; 0 when it is off" }),
  isHeld: Type.Boolean({
    description: "It has ended, but a halted market keeps orders: it ends again when it goes on",
  }),
});

export const CANCEL_AFTER_DESCRIPTION =
  "Counts down and then cancels the caller's open orders, of one market or of all of this " +
  "side of the exchange. Every call starts its own countdown anew, so a client that calls " +
  "every few seconds keeps its orders only while it is alive. Countdowns of different " +
  "markets, and the one of every market, stand beside each other. They go on while the " +
  "exchange is down: one that ends meanwhile cancels when it starts. A halted market keeps " +
  "its orders until it goes on.";
