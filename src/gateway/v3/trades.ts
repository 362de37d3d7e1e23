/** GET /api/v3/market/trades: the latest trades of a market, newest first. */
import { tradesRoute } from "../../api/v3/market.ts";
import { accept } from "../../domain/index.ts";
import type { PublicTrade } from "../../queries/history-port.ts";
import { endpoint } from "../endpoint.ts";
import { askPast } from "./past.ts";

const LIMIT_STANDARD = 100;

export const tradesEndpoint = endpoint(tradesRoute, async ({ query }, exchange) => {
  const limit = query.limit ?? LIMIT_STANDARD;
  const { symbol } = query;
  const market = await exchange.engine.ask({ type: "spot-markets", symbol });
  if (!market.ok) return market;
  const question = { symbol, limit };
  const latest = await askPast(exchange, "public-spot-trades", question, market.sequence);
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
