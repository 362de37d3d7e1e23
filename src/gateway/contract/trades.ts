/** GET /capi/v3/market/trades: the latest trades of a market, newest first. */
import { contractTradesRoute } from "../../api/contract/market.ts";
import { accept } from "../../domain/index.ts";
import type { PublicTrade } from "../../queries/history-port.ts";
import { endpoint } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { lookUpSymbol } from "./known-symbol.ts";

const LIMIT_STANDARD = 100;

export const contractTradesEndpoint = endpoint(contractTradesRoute, async ({ query }, exchange) => {
  const limit = query.limit ?? LIMIT_STANDARD;
  const { symbol } = query;
  const known = await lookUpSymbol(exchange.engine, symbol);
  if (!known.ok) return known;
  const question = { symbol, limit };
  const latest = await askPast(exchange, "public-contract-trades", question, known.sequence);
  return latest.ok ? accept(latest.value.map(toTrade)) : latest;
});

function toTrade(trade: PublicTrade) {
  return {
    id: String(trade.tradeId),
    time: trade.timeMs,
    price: trade.price,
    qty: trade.quantity,
    quoteQty: trade.quoteQuantity,
    isBestMatch: true,
    isBuyerMaker: trade.buyerIsMaker,
  };
}
