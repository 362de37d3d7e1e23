/** GET /capi/v3/openOrders: the caller's open orders by ascending id, which is a cursor too. */
import { openOrdersRoute } from "../../api/contract/trade.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { readTimeRange } from "../parameters.ts";
import { openOrderAnswer } from "./order-reads.ts";
import { isInside } from "./past-range.ts";

const LIMIT_STANDARD = 100;

export const openOrdersEndpoint = endpoint(
  openOrdersRoute,
  async ({ caller, query }, { engine }) => {
    const { page = 0, limit = LIMIT_STANDARD } = query;
    const created = readTimeRange(query.startTime, query.endTime, ["startTime", "endTime"]);
    if (!created.ok) return created;
    const symbol = query.symbol ?? null;
    const open = await engine.ask({ type: "contract-open-orders", uid: caller.uid, symbol });
    if (!open.ok) return open;
    // Beyond 2^53 no order was ever placed, and comparing needs no exact number there.
    const afterOrderId = Number(query.orderId ?? 0);
    const rows = open.value.filter(
      (order) => order.orderId > afterOrderId && isInside(order.createdMs, created.value),
    );
    return accept(rows.slice(page * limit, (page + 1) * limit).map(openOrderAnswer));
  },
);
