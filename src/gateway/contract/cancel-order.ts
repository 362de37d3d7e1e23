/** DELETE /capi/v3/order: cancels one order of the caller. */
import { cancelOrderRoute } from "../../api/contract/trade.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { readOrderKey } from "../parameters.ts";
import { withWireNames } from "../wire-names.ts";
import { cancelledAnswer } from "./outcomes.ts";

export const cancelOrderEndpoint = endpoint(
  cancelOrderRoute,
  async ({ caller, query }, { engine }) => {
    const key = readOrderKey(query);
    if (!key.ok) return key;
    const cancelled = await engine.execute({
      type: "cancel-contract-order",
      uid: caller.uid,
      ...key.value,
    });
    return cancelled.ok
      ? accept(cancelledAnswer(cancelled.value))
      : withWireNames(cancelled, { clientOrderId: "origClientOrderId" });
  },
);
