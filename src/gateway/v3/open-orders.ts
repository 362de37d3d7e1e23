/** GET /api/v3/openOrders: the caller's open orders, newest first. */
import { openOrdersRoute } from "../../api/v3/trade.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { orderAnswer } from "./order-answer.ts";

export const openOrdersEndpoint = endpoint(
  openOrdersRoute,
  async ({ caller, query }, { engine }) => {
    const symbol = query.symbol ?? null;
    const open = await engine.ask({ type: "spot-open-orders", uid: caller.uid, symbol });
    if (!open.ok) return open;
    return accept(open.value.toSorted((a, b) => b.orderId - a.orderId).map(orderAnswer));
  },
);
