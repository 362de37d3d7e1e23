/** GET /api/v2/market/fills: the latest trades of a market, newest first. */
import { publicFillsRoute } from "../../api/v2/market.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { askLatestTrades } from "../spot/market-history.ts";
import { readSymbol } from "../spot/parameters-v2.ts";

export const publicFills = endpoint(publicFillsRoute, async ({ query }, exchange) => {
  const symbol = readSymbol(query.symbol);
  if (!symbol.ok) return symbol;
  const latest = await askLatestTrades(exchange, symbol.value, query.limit);
  if (!latest.ok) return latest;
  return accept(
    latest.value.map((trade) => ({
      symbol: query.symbol,
      tradeId: String(trade.tradeId),
      fillTime: trade.timeMs,
      fillPrice: trade.price,
      fillQuantity: trade.quantity,
      tradeValue: trade.quoteQuantity,
      bestMatch: true,
      buyerMaker: trade.buyerIsMaker,
    })),
  );
});
