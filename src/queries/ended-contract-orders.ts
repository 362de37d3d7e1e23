/**
 * Question: a user's ended contract orders, newest first. Ids and times of creation grow together,
 * so the order by time is the order by id.
 */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import type { EndedContractOrder } from "./contract-history.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";
import { rangeBounds } from "./time-range.ts";

export const ENDED_CONTRACT_ORDER_COLUMNS = [
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

export async function endedContractOrders(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"ended-contract-orders">,
): Promise<HistoryAnswer<"ended-contract-orders">> {
  const [fromMs, toMs] = rangeBounds(question.created);
  let query = db
    .selectFrom("ended_contract_orders")
    .select(ENDED_CONTRACT_ORDER_COLUMNS)
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
  return rows.map(endedContractOrder);
}

/** An order reduces a position when it buys back a short one or sells a long one. */
export function endedContractOrder(
  row: Omit<EndedContractOrder, "reduceOnly">,
): EndedContractOrder {
  return { ...row, reduceOnly: (row.side === "BUY") === (row.positionSide === "SHORT") };
}
