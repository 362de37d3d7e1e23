/** POST /api/v2/trade/open-orders: the caller's open orders of a market, newest first. */
import { openOrdersRoute } from "../../api/v2/trade.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { orderAnswers } from "../spot/order-reads-v2.ts";
import { readSymbol, toNumber } from "../spot/parameters-v2.ts";

const LIMIT_STANDARD = 100;
const PAGE_STANDARD = 0;

export const openOrders = endpoint(openOrdersRoute, async ({ caller, body }, exchange) => {
  const { uid } = caller;
  const symbol = readSymbol(body.symbol);
  if (!symbol.ok) return symbol;
  const limit = toNumber(body.limit) ?? LIMIT_STANDARD;
  const begin = (toNumber(body.pageNo) ?? PAGE_STANDARD) * limit;
  const question = { type: "spot-open-orders", uid, symbol: symbol.value } as const;
  const open = await exchange.engine.ask(question);
  if (!open.ok) return open;
  const rows = open.value.toSorted((a, b) => b.orderId - a.orderId).slice(begin, begin + limit);
  const answers = await orderAnswers(exchange, uid, rows, open.sequence, () => body.symbol);
  if (!answers.ok) return answers;
  return accept({
    orderInfoResultList: answers.value,
    nextPage: begin + limit < open.value.length,
    totals: open.value.length,
  });
});
