/**
 * Question: a user's side of matches, newest first; of a self-match the selling side comes first.
 */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion, SpotFill } from "./history-port.ts";
import { rangeBounds } from "./time-range.ts";

const COLUMNS = [
  "trade_id as tradeId",
  "order_id as orderId",
  "uid",
  "symbol",
  "side",
  "maker",
  "price",
  "quantity",
  "quote_quantity as quoteQuantity",
  "fee",
  "received_asset as feeAsset",
  "time_ms as timeMs",
] as const;

export async function spotFills(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"spot-fills">,
): Promise<HistoryAnswer<"spot-fills">> {
  const { uid, symbol, orderId } = question;
  const [fromMs, toMs] = rangeBounds(question.time);
  let query = db
    .selectFrom("spot_fills")
    .select(COLUMNS)
    .where("uid", "=", uid)
    .where("time_ms", ">=", fromMs)
    .where("time_ms", "<=", toMs);
  if (orderId !== null) query = query.where("order_id", "=", orderId);
  else if (symbol !== null) query = query.where("symbol", "=", symbol);
  const rows = await query
    .orderBy("time_ms", "desc")
    .orderBy("bill_id", "desc")
    .limit(question.limit)
    .offset(question.offset)
    .execute();
  const fills = rows.map((row): SpotFill => ({ ...row, maker: row.maker === 1 }));
  // All fills of an order have one symbol, so comparing it here drops all of them or none.
  return symbol === null ? fills : fills.filter((fill) => fill.symbol === symbol);
}
