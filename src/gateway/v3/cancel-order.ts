/** DELETE /api/v3/order: cancels one order of the caller. */
import { cancelOrderRoute } from "../../api/v3/trade.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { readOrderKey } from "../parameters.ts";
import { withWireNames } from "../wire-names.ts";
import { cancelledOrderAnswer } from "./cancelled-order-answer.ts";

export const cancelOrderEndpoint = endpoint(
  cancelOrderRoute,
  async ({ caller, query }, { engine }) => {
    const key = readOrderKey(query);
    if (!key.ok) return key;
    const cancelled = await engine.execute({
      type: "cancel-spot-order",
      uid: caller.uid,
      symbol: null,
      ...key.value,
    });
    return cancelled.ok
      ? accept(cancelledOrderAnswer(cancelled.value))
      : withWireNames(cancelled, { clientOrderId: "origClientOrderId" });
  },
);
