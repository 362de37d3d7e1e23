/** GET /api/v3/allOrders: the caller's open and ended orders of a market, newest first. */
import { allOrdersRoute } from "../../api/v3/trade.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { readOffset, readTimeRange } from "../parameters.ts";
import { askOrderPage } from "../spot/order-lookup.ts";
import { orderAnswer } from "./order-answer.ts";

const LIMIT_STANDARD = 100;
const PAGE_STANDARD = 1;

export const allOrdersEndpoint = endpoint(allOrdersRoute, async ({ caller, query }, exchange) => {
  const limit = query.limit ?? LIMIT_STANDARD;
  const page = query.page ?? PAGE_STANDARD;
  const created = readTimeRange(query.startTime, query.endTime, ["startTime", "endTime"]);
  if (!created.ok) return created;
  const begin = readOffset(page - 1, limit, ["page", "endTime"]);
  if (!begin.ok) return begin;
  const found = await askOrderPage(exchange, {
    uid: caller.uid,
    symbol: query.symbol,
    created: created.value,
    begin: begin.value,
    limit,
  });
  return found.ok ? accept(found.value.orders.map(orderAnswer)) : found;
});
