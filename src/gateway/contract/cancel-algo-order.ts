/** DELETE /capi/v3/algoOrder: cancels one conditional order of the caller. */
import { cancelAlgoOrderRoute } from "../../api/contract/algo.ts";
import { refuse } from "../../api/errors.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { withWireNames } from "../wire-names.ts";
import { cancelledAnswer } from "./outcomes.ts";

export const cancelAlgoOrderEndpoint = endpoint(
  cancelAlgoOrderRoute,
  async ({ caller, query }, { engine }) => {
    const algoId = Number(query.orderId);
    // An id beyond 2^53 was never issued here.
    if (!Number.isSafeInteger(algoId)) return refuse("algo-order-not-found", "orderId");
    const { uid } = caller;
    const cancelled = await engine.execute({ type: "cancel-algo-order", uid, algoId });
    return cancelled.ok
      ? accept(cancelledAnswer(cancelled.value))
      : withWireNames(cancelled, { algoId: "orderId" });
  },
);
