/** GET /api/v3/myTrades: the caller's fills in a market, newest first. */
import { myTradesRoute } from "../../api/v3/trade.ts";
import { accept } from "../../domain/index.ts";
import type { SpotFill } from "../../queries/history-port.ts";
import { endpoint } from "../endpoint.ts";
import { readTimeRange } from "./parameters.ts";
import { askPast } from "./past.ts";

const LIMIT_STANDARD = 100;

export const myTradesEndpoint = endpoint(myTradesRoute, async ({ caller, query }, exchange) => {
  const limit = query.limit ?? LIMIT_STANDARD;
  const time = readTimeRange(query.startTime, query.endTime, ["startTime", "endTime"]);
  if (!time.ok) return time;
  const { symbol } = query;
  const market = await exchange.engine.ask({ type: "spot-markets", symbol });
  if (!market.ok) return market;
  const orderId = query.orderId === undefined ? null : Number(query.orderId);
  // An id beyond 2^53 was never issued here: like a stranger's id, it has no fills.
  if (orderId !== null && !Number.isSafeInteger(orderId)) return accept([]);
  const question = {
    uid: caller.uid,
    symbol,
    orderId,
    time: time.value,
    limit,
  };
  const fills = await askPast(exchange, "spot-fills", question, market.sequence);
  return fills.ok ? accept(fills.value.map(toTrade)) : fills;
});

function toTrade(fill: SpotFill) {
  return {
    symbol: fill.symbol,
    id: fill.tradeId,
    orderId: fill.orderId,
    price: fill.price,
    qty: fill.quantity,
    quoteQty: fill.quoteQuantity,
    commission: fill.fee,
    commissionAsset: fill.feeAsset,
    time: fill.timeMs,
    isBuyer: fill.side === "BUY",
    maker: fill.maker,
  };
}
