/** DELETE /api/v3/openOrders: cancels every open order of the caller in one market. */
import { cancelOpenOrdersRoute } from "../../api/v3/trade.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { cancelledOrderAnswer } from "./cancelled-order-answer.ts";

export const cancelOpenOrdersEndpoint = endpoint(
  cancelOpenOrdersRoute,
  async ({ caller, query }, { engine }) => {
    const cancelled = await engine.execute({
      type: "cancel-all-spot-orders",
      uid: caller.uid,
      symbol: query.symbol,
    });
    return cancelled.ok ? accept(cancelled.value.map(cancelledOrderAnswer)) : cancelled;
  },
);
