/** Question: a user's conditional orders that fired or ended, newest first. */
import type { Kysely } from "kysely";
import type { AlgoOrderView } from "../protocol/index.ts";
import type { HistoryTables, Row } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";
import { rangeBounds } from "./time-range.ts";

export async function algoOrders(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"algo-orders">,
): Promise<HistoryAnswer<"algo-orders">> {
  const [fromMs, toMs] = rangeBounds(question.created);
  let query = db
    .selectFrom("algo_orders")
    .selectAll()
    .where("uid", "=", question.uid)
    .where("created_ms", ">=", fromMs)
    .where("created_ms", "<=", toMs);
  if (question.symbol !== null) query = query.where("symbol", "=", question.symbol);
  const rows = await query
    .orderBy("created_ms", "desc")
    .orderBy("algo_id", "desc")
    .limit(question.limit)
    .execute();
  return rows.map(algoOrder);
}

function algoOrder(row: Row<"algo_orders">): AlgoOrderView {
  const hasTakeProfit = row.tp_trigger_price !== "0";
  const hasStopLoss = row.sl_trigger_price !== "0";
  return {
    algoId: row.algo_id,
    clientAlgoId: row.client_algo_id,
    orderType: row.order_type,
    symbol: row.symbol,
    side: row.side,
    positionSide: row.position_side,
    timeInForce: row.time_in_force,
    quantity: row.quantity,
    status: row.status,
    actualOrderId: row.actual_order_id === 0 ? null : row.actual_order_id,
    actualPrice: row.actual_price,
    triggerPrice: row.trigger_price,
    price: row.price,
    tpTriggerPrice: hasTakeProfit ? row.tp_trigger_price : null,
    tpPrice: hasTakeProfit ? "0" : null,
    slTriggerPrice: hasStopLoss ? row.sl_trigger_price : null,
    slPrice: hasStopLoss ? "0" : null,
    tpOrderType: hasTakeProfit ? row.tp_working_type : null,
    workingType: row.working_type,
    closePosition: row.close_position === 1,
    reduceOnly: row.reduce_only === 1,
    createdMs: row.created_ms,
    updatedMs: row.updated_ms,
    triggeredMs: row.triggered_ms,
  };
}
