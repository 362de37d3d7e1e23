/** POST /api/v2/trade/fills: the caller's fills in a market, newest first. */
import { fillsRoute } from "../../api/v2/trade.ts";
import { accept } from "../../domain/index.ts";
import type { SpotMarketView } from "../../protocol/index.ts";
import type { SpotFill } from "../../queries/history-port.ts";
import { endpoint } from "../endpoint.ts";
import { askFills } from "../spot/fills.ts";
import { readPage, readSymbol, toNumber } from "../spot/parameters-v2.ts";

export const fills = endpoint(fillsRoute, async ({ caller, body }, exchange) => {
  const symbol = readSymbol(body.symbol);
  if (!symbol.ok) return symbol;
  const page = readPage(body);
  if (!page.ok) return page;
  const { time, begin, pageSize } = page.value;
  const found = await askFills(exchange, {
    uid: caller.uid,
    symbol: symbol.value,
    orderId: toNumber(body.orderId) ?? null,
    time,
    offset: begin,
    // One more than the page has says whether there is another page.
    limit: pageSize + 1,
  });
  if (!found.ok) return found;
  const { market, fills: rows } = found.value;
  return accept({
    fillsOrderResultList: rows
      .slice(0, pageSize)
      .map((fill) => toAnswer(fill, market, body.symbol)),
    nextPage: rows.length > pageSize,
    totals: null,
  });
});

function toAnswer(fill: SpotFill, market: SpotMarketView, symbol: string) {
  return {
    accountId: String(fill.uid),
    symbol,
    baseCoin: market.baseAsset,
    quoteCoin: market.quoteAsset,
    orderId: String(fill.orderId),
    fillId: String(fill.tradeId),
    orderType: "" as const,
    side: fill.side === "BUY" ? ("buy" as const) : ("sell" as const),
    fillPrice: fill.price,
    fillQuantity: fill.quantity,
    fillTotalAmount: fill.quoteQuantity,
    fees: fill.fee,
    cTime: String(fill.timeMs),
  };
}
