/** What moved funds: transfers, deposits and withdrawals, and the operator's movements. */
import type { Row } from "../store/index.ts";
import type { FundingMovement } from "./history-port.ts";
import type { HistoryQuery } from "./history-query.ts";
import { NumberedRows } from "./numbered-rows.ts";
import { rangeBounds } from "./ranges.ts";

export const transfers: HistoryQuery<"transfers"> = async (db, question) => {
  const [fromMs, toMs] = rangeBounds(question.time);
  let query = db
    .selectFrom("transfers")
    .select([
      "request_id as requestId",
      "uid",
      "asset",
      "amount",
      "from_wallet as from",
      "to_wallet as to",
      "time_ms as timeMs",
    ])
    .where("uid", "=", question.uid)
    .where("time_ms", ">=", fromMs)
    .where("time_ms", "<=", toMs);
  if (question.asset !== null) query = query.where("asset", "=", question.asset);
  if (question.from !== null) query = query.where("from_wallet", "=", question.from);
  return await query
    .orderBy("time_ms", "desc")
    .orderBy("movement_id", "desc")
    .limit(question.limit)
    .execute();
};

export const fundingMovements: HistoryQuery<"funding-movements"> = async (db, question) => {
  const { uid, asset, time, page } = question;
  const ordinal = asset === null ? "uid_ordinal" : "asset_ordinal";
  const filter = asset === null ? { uid } : { uid, asset };
  const movements = new NumberedRows(db, "funding_movements", filter, ordinal);
  const range = await movements.between(["time_ms", ordinal], ...rangeBounds(time));
  const { rows, total } = await movements.page(range, page);
  return { rows: rows.map(fundingMovement), total };
};

function fundingMovement(row: Row<"funding_movements">): FundingMovement {
  return {
    movementId: row.movement_id,
    requestId: row.request_id,
    uid: row.uid,
    kind: row.kind,
    wallet: row.wallet,
    asset: row.asset,
    amount: row.amount,
    after: row.after,
    timeMs: row.time_ms,
  };
}

export const operatorMovements: HistoryQuery<"operator-movements"> = async (db, question) => {
  let query = db
    .selectFrom("operator_movements")
    .select([
      "movement_id as movementId",
      "request_id as requestId",
      "uid",
      "asset",
      "amount",
      "from_wallet as from",
      "to_wallet as to",
      "time_ms as timeMs",
    ])
    .where("command", "=", question.command)
    .where("uid", "=", question.uid)
    .where("movement_id", ">", question.afterMovementId);
  if (question.asset !== null) query = query.where("asset", "=", question.asset);
  return await query.orderBy("movement_id").limit(question.limit).execute();
};
