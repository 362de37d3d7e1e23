/** A cancelled order as v3 answers it. */
import type { CancelledOrder } from "../../protocol/index.ts";

export function cancelledOrderAnswer(order: CancelledOrder) {
  return {
    orderId: order.orderId,
    origClientOrderId: order.clientOrderId,
    status: "CANCELED" as const,
  };
}
