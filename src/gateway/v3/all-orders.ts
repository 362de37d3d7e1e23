/** GET /api/v3/allOrders: the caller's open and ended orders of a market, newest first. */
import { refuse } from "../../api/errors.ts";
import { allOrdersRoute } from "../../api/v3/trade.ts";
import { accept } from "../../domain/index.ts";
import type { SpotOrderView } from "../../protocol/index.ts";
import type { EndedSpotOrder, TimeRange } from "../../queries/history-port.ts";
import { endpoint } from "../endpoint.ts";
import { endedOrderAnswer, openOrderAnswer } from "./order-answer.ts";
import { readTimeRange } from "./parameters.ts";
import { askPast } from "./past.ts";

const LIMIT_STANDARD = 100;
const PAGE_STANDARD = 1;
/** Pages cost what they skip; who wants older orders asks by time. */
const ROWS_SKIPPED_MAX = 100_000;

export const allOrdersEndpoint = endpoint(allOrdersRoute, async ({ caller, query }, exchange) => {
  const limit = query.limit ?? LIMIT_STANDARD;
  const page = query.page ?? PAGE_STANDARD;
  const created = readTimeRange(query.startTime, query.endTime, ["startTime", "endTime"]);
  if (!created.ok) return created;
  const begin = (page - 1) * limit;
  if (begin > ROWS_SKIPPED_MAX) {
    const detail = "go further back with endTime";
    return refuse("parameter-out-of-range", "page", detail);
  }
  const { symbol } = query;
  const { uid } = caller;
  const answer = await exchange.engine.ask({ type: "spot-open-orders", uid, symbol });
  if (!answer.ok) return answer;
  const open = answer.value.filter((order) => isInside(order.createdMs, created.value));
  const offset = Math.max(0, begin - open.length);
  const question = {
    uid,
    symbol,
    created: created.value,
    offset,
    limit: begin + limit - offset,
  };
  const ended = await askPast(exchange, "ended-spot-orders", question, answer.sequence);
  if (!ended.ok) return ended;
  return accept(mergedPage(open, ended.value, offset, begin, limit));
});

function isInside(timeMs: number, range: TimeRange): boolean {
  return (
    (range.fromMs === null || timeMs >= range.fromMs) &&
    (range.toMs === null || timeMs <= range.toMs)
  );
}

/**
 * Rows `begin` to `begin + limit` of both lists in one, newest first. `ended` starts at its row
 * `offset`, which is at most `begin` less the open orders: so an open order that is newer than all
 * of `ended` stands before the page, and only shifts it. An order that is in both lists has ended
 * since.
 */
function mergedPage(
  open: readonly SpotOrderView[],
  ended: readonly EndedSpotOrder[],
  offset: number,
  begin: number,
  limit: number,
) {
  const endedIds = new Set(ended.map(({ orderId }) => orderId));
  const stillOpen = open.filter(({ orderId }) => !endedIds.has(orderId));
  const rows = [
    ...stillOpen.map((order) => ({ order, answer: openOrderAnswer(order) })),
    ...ended.map((order) => ({ order, answer: endedOrderAnswer(order) })),
  ];
  rows.sort((a, b) => newestFirst(a.order, b.order));
  const start = begin - offset;
  return rows.slice(start, start + limit).map(({ answer }) => answer);
}

interface Placed {
  readonly orderId: number;
  readonly createdMs: number;
}

function newestFirst(a: Placed, b: Placed): number {
  return b.createdMs - a.createdMs || b.orderId - a.orderId;
}
