/**
 * Question: a user's side of contract matches, newest first; of a match of the account with itself
 * the taker's side comes first.
 */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import type { ContractFill } from "./contract-history.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";
import { rangeBounds } from "./time-range.ts";

const COLUMNS = [
  "trade_id as tradeId",
  "order_id as orderId",
  "uid",
  "symbol",
  "side",
  "position_side as positionSide",
  "kind",
  "maker",
  "closing",
  "price",
  "quantity",
  "value",
  "fee",
  "fee_asset as feeAsset",
  "realized_pnl as realizedPnl",
  "time_ms as timeMs",
] as const;

export async function contractFills(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"contract-fills">,
): Promise<HistoryAnswer<"contract-fills">> {
  const { uid, symbol, orderId } = question;
  const [fromMs, toMs] = rangeBounds(question.time);
  let query = db
    .selectFrom("contract_fills")
    .select(COLUMNS)
    .where("uid", "=", uid)
    .where("time_ms", ">=", fromMs)
    .where("time_ms", "<=", toMs);
  if (orderId !== null) query = query.where("order_id", "=", orderId);
  else if (symbol !== null) query = query.where("symbol", "=", symbol);
  const rows = await query
    .orderBy("time_ms", "desc")
    .orderBy("fill_id", "desc")
    .limit(question.limit)
    .execute();
  const fills = rows.map(
    ({ closing, maker, ...row }): ContractFill => ({
      ...row,
      maker: maker === 1,
      isClosing: closing === 1,
    }),
  );
  // All fills of an order have one symbol, so comparing it here drops all of them or none.
  return symbol === null ? fills : fills.filter((fill) => fill.symbol === symbol);
}
