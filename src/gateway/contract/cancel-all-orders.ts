/**
 * DELETE /capi/v3/allOpenOrders and /capi/v3/algoOpenOrders: cancel every open order, or every
 * conditional one, of a market or of all.
 */
import { cancelAllAlgoOrdersRoute } from "../../api/contract/algo.ts";
import { cancelAllOrdersRoute } from "../../api/contract/trade.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { cancelledRow } from "./outcomes.ts";

export const cancelAllOrdersEndpoint = endpoint(
  cancelAllOrdersRoute,
  async ({ caller, query }, { engine }) => {
    const cancelled = await engine.execute({
      type: "cancel-all-contract-orders",
      uid: caller.uid,
      symbol: query.symbol ?? null,
    });
    return cancelled.ok ? accept(cancelled.value.map(cancelledRow)) : cancelled;
  },
);

export const cancelAllAlgoOrdersEndpoint = endpoint(
  cancelAllAlgoOrdersRoute,
  async ({ caller, query }, { engine }) => {
    const cancelled = await engine.execute({
      type: "cancel-all-algo-orders",
      uid: caller.uid,
      symbol: query.symbol ?? null,
    });
    return cancelled.ok ? accept(cancelled.value.map(cancelledRow)) : cancelled;
  },
);
