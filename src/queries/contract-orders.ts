/**
 * A user's contract orders that ended, and conditional orders that fired or ended. Ids and creation
 * times grow together, so the order by time is the order by id.
 */
import type { AlgoOrderView } from "../protocol/index.ts";
import type { Row } from "../store/index.ts";
import type { EndedContractOrder } from "./contract-history.ts";
import type { HistoryQuery } from "./history-query.ts";
import { rangeBounds } from "./ranges.ts";

const COLUMNS = [
  "order_id as orderId",
  "uid",
  "symbol",
  "client_order_id as clientOrderId",
  "side",
  "position_side as positionSide",
  "order_type as orderType",
  "time_in_force as timeInForce",
  "origin",
  "algo_id as algoId",
  "price",
  "quantity",
  "filled_quantity as filledQuantity",
  "filled_value as filledValue",
  "avg_price as avgPrice",
  "status",
  "reason",
  "created_ms as createdMs",
  "ended_ms as endedMs",
] as const;

export const endedContractOrder: HistoryQuery<"ended-contract-order"> = async (db, question) => {
  const { uid, orderId, clientOrderId } = question;
  let query = db.selectFrom("ended_contract_orders").select(COLUMNS).where("uid", "=", uid);
  if (orderId !== null) {
    query = query.where("order_id", "=", orderId);
  } else if (clientOrderId !== null) {
    query = query.where("client_order_id", "=", clientOrderId).orderBy("order_id", "desc");
  } else {
    return null;
  }
  const row = await query.limit(1).executeTakeFirst();
  return row === undefined ? null : withReduceOnly(row);
};

export const endedContractOrders: HistoryQuery<"ended-contract-orders"> = async (db, question) => {
  const [fromMs, toMs] = rangeBounds(question.created);
  let query = db
    .selectFrom("ended_contract_orders")
    .select(COLUMNS)
    .where("uid", "=", question.uid)
    .where("created_ms", ">=", fromMs)
    .where("created_ms", "<=", toMs);
  if (question.symbol !== null) query = query.where("symbol", "=", question.symbol);
  const rows = await query
    .orderBy("created_ms", "desc")
    .orderBy("order_id", "desc")
    .limit(question.limit)
    .offset(question.offset)
    .execute();
  return rows.map(withReduceOnly);
};

/** An order reduces a position when it buys back a short or sells a long. */
function withReduceOnly(row: Omit<EndedContractOrder, "reduceOnly">): EndedContractOrder {
  return { ...row, reduceOnly: (row.side === "BUY") === (row.positionSide === "SHORT") };
}

export const conditionalOrders: HistoryQuery<"algo-orders"> = async (db, question) => {
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
  return rows.map(conditionalOrder);
};

function conditionalOrder(row: Row<"algo_orders">): AlgoOrderView {
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
