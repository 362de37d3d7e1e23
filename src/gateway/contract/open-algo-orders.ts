/** GET /capi/v3/openAlgoOrders: the caller's conditional orders that wait, newest first. */
import { openAlgoOrdersRoute } from "../../api/contract/algo.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { readTimeRange } from "../parameters.ts";
import { openAlgoAnswer } from "./algo-answer.ts";
import { isInside } from "./past-range.ts";

const LIMIT_STANDARD = 100;

export const openAlgoOrdersEndpoint = endpoint(
  openAlgoOrdersRoute,
  async ({ caller, query }, { engine }) => {
    const { page = 1, limit = LIMIT_STANDARD } = query;
    const created = readTimeRange(query.startTime, query.endTime, ["startTime", "endTime"]);
    if (!created.ok) return created;
    const symbol = query.symbol ?? null;
    const open = await engine.ask({ type: "algo-open-orders", uid: caller.uid, symbol });
    if (!open.ok) return open;
    const rows = open.value
      .filter(({ createdMs }) => isInside(createdMs, created.value))
      .toSorted((a, b) => b.algoId - a.algoId);
    return accept(rows.slice((page - 1) * limit, page * limit).map(openAlgoAnswer));
  },
);
