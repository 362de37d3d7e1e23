/** Why an order was rejected, the form field at fault, and what to do next. */
import { NetworkError, RialtoError } from "../../../client/index.ts";
import { retrySeconds, TOO_MANY_REQUESTS } from "../../data/retry-wait.ts";
import { groupDecimal } from "../../decimals/format.ts";
import type { DraftField } from "./order-draft.ts";

export interface OrderError {
  readonly field: DraftField | null;
  readonly text: string;
}

/** API field names and their form fields. */
const FIELDS: Readonly<Record<string, DraftField>> = {
  price: "price",
  quantity: "quantity",
  triggerPrice: "triggerPrice",
  callbackRate: "callbackRate",
  activationPrice: "activationPrice",
  tpTriggerPrice: "takeProfit",
  presetTakeProfitPrice: "takeProfit",
  slTriggerPrice: "stopLoss",
  presetStopLossPrice: "stopLoss",
};

/** By error code of the API reference. */
const ADVICE: Readonly<Record<string, string>> = {
  "-2201": "Lower the quantity or cancel open orders to free up funds.",
  "-2203": "Move the price closer to the market.",
  "-2206": "Cancel some of them first.",
  "-3201": "Lower the quantity or raise the leverage.",
  "-3202": "Lower the quantity, or open a position instead.",
  "-3207": "Move it to the other side of the price.",
};

/** "What is wrong: field (what is accepted)". */
const WHOLE = /^(.*): \w+ \((.*)\)$/;

export function toOrderError(error: Error): OrderError {
  if (error instanceof NetworkError) {
    const text = "No response: the request may or may not have gone through.";
    return { field: null, text: `${text} Check your orders and positions before you try again.` };
  }
  if (!(error instanceof RialtoError)) return { field: null, text: error.message };
  if (error.status === TOO_MANY_REQUESTS) {
    return { field: null, text: `Rate limit reached. Try again in ${retrySeconds(error)} s.` };
  }
  const field = error.field === null ? null : (FIELDS[error.field] ?? null);
  const message = field === null ? error.message : withoutField(error.message);
  const advice = ADVICE[String(error.code)];
  return { field, text: [`${message} (${error.code}).`, advice].filter(Boolean).join(" ") };
}

/** Shown at the field, so its name is dropped; numbers are grouped. */
function withoutField(message: string): string {
  const [, what, detail] = WHOLE.exec(message) ?? [];
  if (what === undefined || detail === undefined) return message;
  return `${what}: ${detail.replaceAll(/\d+(\.\d+)?/g, (number) => groupDecimal(number))}`;
}
