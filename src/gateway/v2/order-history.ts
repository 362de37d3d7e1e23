/** POST /api/v2/trade/history: the caller's open and ended orders of a market, newest first. */
import { orderHistoryRoute } from "../../api/v2/trade.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { askOrderPage } from "../spot/order-lookup.ts";
import { orderAnswers } from "../spot/order-reads-v2.ts";
import { readPage, readSymbol } from "../spot/parameters-v2.ts";

export const orderHistory = endpoint(orderHistoryRoute, async ({ caller, body }, exchange) => {
  const { uid } = caller;
  const symbol = readSymbol(body.symbol);
  if (!symbol.ok) return symbol;
  const page = readPage(body);
  if (!page.ok) return page;
  const { time: created, begin, pageSize } = page.value;
  // One more than the page has says whether there is another page.
  const question = { uid, symbol: symbol.value, created, begin, limit: pageSize + 1 };
  const found = await askOrderPage(exchange, question);
  if (!found.ok) return found;
  const { orders, sequence } = found.value;
  const shown = orders.slice(0, pageSize);
  const answers = await orderAnswers(exchange, uid, shown, sequence, () => body.symbol);
  if (!answers.ok) return answers;
  return accept({
    orderInfoResultList: answers.value,
    nextPage: orders.length > pageSize,
    totals: null,
  });
});
