/** GET /capi/v3/order/history: the caller's ended orders, newest first. */
import { orderHistoryRoute } from "../../api/contract/trade.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { readOffset } from "../parameters.ts";
import { lookUpSymbol } from "./known-symbol.ts";
import { historyOrderAnswer } from "./order-reads.ts";
import { readPastRange } from "./past-range.ts";

const LIMIT_STANDARD = 500;
const DAYS_MAX = 90;

export const orderHistoryEndpoint = endpoint(
  orderHistoryRoute,
  async ({ caller, query }, exchange) => {
    const { page = 0, limit = LIMIT_STANDARD } = query;
    const created = readPastRange(query, DAYS_MAX);
    if (!created.ok) return created;
    const offset = readOffset(page, limit, ["page", "endTime"]);
    if (!offset.ok) return offset;
    const known = await lookUpSymbol(exchange.engine, query.symbol);
    if (!known.ok) return known;
    const question = {
      uid: caller.uid,
      symbol: query.symbol ?? null,
      created: created.value,
      offset: offset.value,
      limit,
    };
    const ended = await askPast(exchange, "ended-contract-orders", question, known.sequence);
    return ended.ok ? accept(ended.value.map(historyOrderAnswer)) : ended;
  },
);
