/** What a user sent to others within the affiliate programme, newest first. */
import type { Row } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion, InternalWithdrawal } from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";
import { NumberedRows } from "./numbered-rows.ts";
import { rangeBounds } from "./ranges.ts";

export const internalWithdrawals: HistoryQuery<"internal-withdrawals"> = async (db, question) => {
  const { uid, withdrawalId, asset, time, page } = question;
  if (withdrawalId !== null) return await one(db, question, withdrawalId);
  const ordinal = asset === null ? "uid_ordinal" : "asset_ordinal";
  const filter = asset === null ? { uid } : { uid, asset };
  const withdrawals = new NumberedRows(db, "internal_withdrawals", filter, ordinal);
  const range = await withdrawals.between(["time_ms", ordinal], ...rangeBounds(time));
  const { rows, total } = await withdrawals.page(range, page);
  return { rows: rows.map(internalWithdrawal), total };
};

/** The one with that id, if it is of the coin and the time. */
async function one(
  db: Db,
  { uid, asset, time, page }: HistoryQuestion<"internal-withdrawals">,
  withdrawalId: number,
): Promise<HistoryAnswer<"internal-withdrawals">> {
  const [fromMs, toMs] = rangeBounds(time);
  const rows = await db
    .selectFrom("internal_withdrawals")
    .selectAll()
    .where("uid", "=", uid)
    .where("withdrawal_id", "=", withdrawalId)
    .limit(1)
    .execute();
  const found = rows.filter(
    (row) =>
      (asset === null || row.asset === asset) && row.time_ms >= fromMs && row.time_ms <= toMs,
  );
  return {
    rows: page.page === 1 ? found.map(internalWithdrawal) : [],
    total: found.length,
  };
}

function internalWithdrawal(row: Row<"internal_withdrawals">): InternalWithdrawal {
  return {
    withdrawalId: row.withdrawal_id,
    fromUid: row.uid,
    toUid: row.to_uid,
    asset: row.asset,
    amount: row.amount,
    timeMs: row.time_ms,
  };
}
