/** Why an order was not taken, beside the field that it is about, with what to do next. */
import { NetworkError, RialtoError } from "../../../client/index.ts";
import { groupDecimal } from "../../decimals/format.ts";
import type { DraftField } from "./order-draft.ts";

export interface Refusal {
  readonly field: DraftField | null;
  readonly text: string;
}

/** Names of the interface and the fields of the form that they stand in. */
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

/** By the codes of the reference. */
const ADVICE: Readonly<Record<string, string>> = {
  "-2201": "Lower the quantity, or cancel orders that hold funds.",
  "-2203": "Move the price closer to the market.",
  "-2206": "Cancel some of them first.",
  "-3201": "Lower the quantity or raise the leverage.",
  "-3202": "Lower the quantity, or open instead of closing.",
  "-3207": "Move it to the other side.",
};

/** "What is wrong: field (what would be accepted)". */
const WHOLE = /^(.*): \w+ \((.*)\)$/;

const TOO_MANY_REQUESTS = 429;

export function refusalOf(error: unknown): Refusal {
  if (error instanceof NetworkError) {
    const text = "No answer came: it may have been carried out, or not.";
    return { field: null, text: `${text} Look at your orders before you send it again.` };
  }
  if (!(error instanceof RialtoError)) {
    return { field: null, text: error instanceof Error ? error.message : String(error) };
  }
  const seconds = Math.ceil((error.retryAfterMs ?? 1_000) / 1_000);
  if (error.status === TOO_MANY_REQUESTS) {
    return { field: null, text: `Too many requests from here. Send it again in ${seconds} s.` };
  }
  const field = error.field === null ? null : (FIELDS[error.field] ?? null);
  const said = field === null ? error.message : withoutField(error.message);
  const advice = ADVICE[String(error.code)];
  return { field, text: [`${said} (${error.code}).`, advice].filter(Boolean).join(" ") };
}

/** It stands at the field, which need not be named once more; numbers as they are read. */
function withoutField(message: string): string {
  const [, what, detail] = WHOLE.exec(message) ?? [];
  if (what === undefined || detail === undefined) return message;
  return `${what}: ${detail.replaceAll(/\d+(\.\d+)?/g, (number) => groupDecimal(number))}`;
}
