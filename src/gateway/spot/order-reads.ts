/** GET /api/v3/myTrades: the caller's fills in a market, newest first. */
import { myTradesRoute } from "../../api/v3/trade.ts";
import { accept } from "../../domain/index.ts";
import type { SpotFill } from "../../queries/history-port.ts";
import { endpoint } from "../endpoint.ts";
import { readTimeRange } from "../parameters.ts";
import { askFills } from "./fills.ts";

const LIMIT_STANDARD = 100;

export const myTradesEndpoint = endpoint(myTradesRoute, async ({ caller, query }, exchange) => {
  const time = readTimeRange(query.startTime, query.endTime, ["startTime", "endTime"]);
  if (!time.ok) return time;
  const found = await askFills(exchange, {
    uid: caller.uid,
    symbol: query.symbol,
    orderId: query.orderId === undefined ? null : Number(query.orderId),
    time: time.value,
    offset: 0,
    limit: query.limit ?? LIMIT_STANDARD,
  });
  return found.ok ? accept(found.value.fills.map(toTrade)) : found;
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
