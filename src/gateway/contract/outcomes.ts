/** How the answer to a write says that it succeeded, or why not. */
import { ERRORS, errorMessage, type Refusal } from "../../api/errors.ts";
import type { CancelledOrder } from "../../protocol/index.ts";

export const SUCCEEDED = { success: true, errorCode: "", errorMessage: "" };

export function failed(refusal: Refusal) {
  return {
    success: false,
    errorCode: String(ERRORS[refusal.reason].capi.code),
    errorMessage: errorMessage(refusal),
  };
}

/** An order, conditional or not, that was cancelled by itself. */
export function cancelledAnswer(order: CancelledOrder) {
  return {
    orderId: String(order.orderId),
    origClientOrderId: order.clientOrderId,
    ...SUCCEEDED,
  };
}

/** One of many that were cancelled together. */
export function cancelledRow(order: CancelledOrder) {
  return { orderId: order.orderId, ...SUCCEEDED };
}

/** Answers to orders are the hottest; the alphabet of client ids needs no escaping. */
export function placedJson(answer: {
  readonly orderId: string;
  readonly clientOrderId: string;
}): string {
  return (
    `{"orderId":"${answer.orderId}","clientOrderId":"${answer.clientOrderId}",` +
    '"success":true,"errorCode":"","errorMessage":""}'
  );
}
