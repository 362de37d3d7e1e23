/** How the answer to a write says that it succeeded, or why not. */
import { ERRORS, errorMessage, type Refusal } from "../../api/errors.ts";
import type { CancelledContractOrder, CancelledOrder } from "../../protocol/index.ts";

export const SUCCEEDED = { success: true, errorCode: "", errorMessage: "" };

export function failed(refusal: Refusal) {
  return {
    success: false,
    errorCode: String(ERRORS[refusal.reason].capi.code),
    errorMessage: errorMessage(refusal),
  };
}

/** A conditional order that was cancelled by itself. */
export function cancelledAnswer(order: CancelledOrder) {
  return {
    orderId: String(order.orderId),
    origClientOrderId: order.clientOrderId,
    ...SUCCEEDED,
  };
}

/** The same for an order in the book. */
export function cancelledBookAnswer(order: CancelledContractOrder) {
  return { ...cancelledAnswer(order), lastUpdateId: order.bookVersion };
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
  return `${placedStart(answer)}}`;
}

/** The same of an order in the book. */
export function placedBookJson(
  answer: Parameters<typeof placedJson>[0] & { readonly lastUpdateId: number },
): string {
  return `${placedStart(answer)},"lastUpdateId":${answer.lastUpdateId}}`;
}

function placedStart({ orderId, clientOrderId }: Parameters<typeof placedJson>[0]): string {
  return (
    `{"orderId":"${orderId}","clientOrderId":"${clientOrderId}",` +
    '"success":true,"errorCode":"","errorMessage":""'
  );
}
