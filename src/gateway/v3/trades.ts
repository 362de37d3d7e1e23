/** GET /api/v3/market/trades: the latest trades of a market, newest first. */
import { tradesRoute } from "../../api/v3/market.ts";
import { accept } from "../../domain/index.ts";
import type { PublicTrade } from "../../queries/history-port.ts";
import { endpoint } from "../endpoint.ts";
import { askLatestTrades } from "../spot/market-history.ts";

export const tradesEndpoint = endpoint(tradesRoute, async ({ query }, exchange) => {
  const latest = await askLatestTrades(exchange, query.symbol, query.limit);
  return latest.ok ? accept(latest.value.map(toTrade)) : latest;
});

function toTrade(trade: PublicTrade) {
  return {
    id: String(trade.tradeId),
    price: trade.price,
    qty: trade.quantity,
    quoteQty: trade.quoteQuantity,
    time: trade.timeMs,
    isBuyerMaker: trade.buyerIsMaker,
    isBestMatch: true,
  };
}
