/** GET /capi/v3/userTrades: the caller's fills, newest first. */
import { userTradesRoute } from "../../api/contract/trade.ts";
import { accept } from "../../domain/index.ts";
import type { ContractFill } from "../../queries/history-port.ts";
import { endpoint } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { readTimeRange } from "../parameters.ts";
import { lookUpSymbol } from "./known-symbol.ts";

const LIMIT_STANDARD = 100;

export const userTradesEndpoint = endpoint(userTradesRoute, async ({ caller, query }, exchange) => {
  const limit = query.limit ?? LIMIT_STANDARD;
  const time = readTimeRange(query.startTime, query.endTime, ["startTime", "endTime"]);
  if (!time.ok) return time;
  const known = await lookUpSymbol(exchange.engine, query.symbol);
  if (!known.ok) return known;
  const orderId = query.orderId === undefined ? null : Number(query.orderId);
  // An id beyond 2^53 was never issued here: like a stranger's id, it has no fills.
  if (orderId !== null && !Number.isSafeInteger(orderId)) return accept([]);
  const symbol = query.symbol ?? null;
  const question = { uid: caller.uid, symbol, orderId, time: time.value, limit };
  const fills = await askPast(exchange, "contract-fills", question, known.sequence);
  return fills.ok ? accept(fills.value.map(toTrade)) : fills;
});

function toTrade(fill: ContractFill) {
  return {
    id: fill.tradeId,
    orderId: fill.orderId,
    symbol: fill.symbol,
    buyer: fill.side === "BUY",
    commission: fill.fee,
    commissionAsset: fill.feeAsset,
    maker: fill.maker,
    price: fill.price,
    qty: fill.quantity,
    quoteQty: fill.value,
    realizedPnl: fill.realizedPnl,
    side: fill.side,
    positionSide: fill.positionSide,
    time: fill.timeMs,
  };
}
