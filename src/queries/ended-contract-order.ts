/** Question: one ended contract order of a user. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import { ENDED_CONTRACT_ORDER_COLUMNS, endedContractOrder } from "./ended-contract-orders.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";

export async function endedContractOrderOf(
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<"ended-contract-order">,
): Promise<HistoryAnswer<"ended-contract-order">> {
  const row = await db
    .selectFrom("ended_contract_orders")
    .select(ENDED_CONTRACT_ORDER_COLUMNS)
    .where("order_id", "=", question.orderId)
    .where("uid", "=", question.uid)
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : endedContractOrder(row);
}
