/** POST /capi/v3/modifyTpSlOrder: changes a take-profit or a stop-loss that waits. */
import { modifyTpSlOrderRoute } from "../../api/contract/algo.ts";
import { refuse } from "../../api/errors.ts";
import { accept } from "../../domain/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import { endpoint } from "../endpoint.ts";
import { withWireNames } from "../wire-names.ts";

export const modifyTpSlOrderEndpoint = endpoint(
  modifyTpSlOrderRoute,
  async (request, { engine }) => {
    const { body, caller } = request;
    const algoId = Number(body.orderId);
    // An id beyond 2^53 was never issued here.
    if (!Number.isSafeInteger(algoId)) return refuse("algo-order-not-found", "orderId");
    const modified = await engine.executeOnce<"modify-algo-order">(requestIdOf(request), {
      type: "modify-algo-order",
      uid: caller.uid,
      algoId,
      triggerPrice: body.triggerPrice,
      executePrice: body.executePrice ?? null,
      workingType: body.triggerPriceType ?? null,
    });
    return modified.ok
      ? accept({ success: true as const })
      : withWireNames(modified, { algoId: "orderId", price: "executePrice" });
  },
);
