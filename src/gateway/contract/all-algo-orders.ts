/** GET /capi/v3/allAlgoOrders: conditional orders that fired or ended, newest first. */
import { algoOrderHistoryRoute } from "../../api/contract/algo.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { historyAlgoAnswer } from "./algo-answer.ts";
import { lookUpSymbol } from "./known-symbol.ts";
import { readPastRange } from "./past-range.ts";

const LIMIT_STANDARD = 500;
const DAYS_MAX = 90;

export const allAlgoOrdersEndpoint = endpoint(
  algoOrderHistoryRoute,
  async ({ caller, query }, exchange) => {
    const limit = query.limit ?? LIMIT_STANDARD;
    const created = readPastRange(query, DAYS_MAX);
    if (!created.ok) return created;
    const known = await lookUpSymbol(exchange.engine, query.symbol);
    if (!known.ok) return known;
    const question = {
      uid: caller.uid,
      symbol: query.symbol ?? null,
      created: created.value,
      // One more than is answered tells whether there are more.
      limit: limit + 1,
    };
    const rows = await askPast(exchange, "algo-orders", question, known.sequence);
    if (!rows.ok) return rows;
    return accept({
      orders: rows.value.slice(0, limit).map(historyAlgoAnswer),
      hasMore: rows.value.length > limit,
    });
  },
);
