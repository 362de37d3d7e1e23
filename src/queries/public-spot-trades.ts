/** Question: the latest matches of a market, newest first. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";

export async function publicSpotTrades(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"public-spot-trades">,
): Promise<HistoryAnswer<"public-spot-trades">> {
  const rows = await db
    .selectFrom("spot_trades")
    .selectAll()
    .where("symbol", "=", question.symbol)
    .orderBy("trade_id", "desc")
    .limit(question.limit)
    .execute();
  return rows.map((row) => ({
    tradeId: row.trade_id,
    symbol: row.symbol,
    price: row.price,
    quantity: row.quantity,
    quoteQuantity: row.quote_quantity,
    timeMs: row.time_ms,
    buyerIsMaker: row.taker_side === "SELL",
  }));
}
