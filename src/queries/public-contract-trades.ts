/** Question: the latest matches in the book of a contract, newest first. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";

export async function publicContractTrades(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"public-contract-trades">,
): Promise<HistoryAnswer<"public-contract-trades">> {
  const rows = await db
    .selectFrom("contract_trades")
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
    quoteQuantity: row.value,
    timeMs: row.time_ms,
    buyerIsMaker: row.taker_side === "SELL",
  }));
}
