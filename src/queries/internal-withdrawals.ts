/** Question: a page of what a user sent to others within the affiliate programme, newest first. */
import type { Kysely } from "kysely";
import type { HistoryTables, Row } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion, InternalWithdrawal } from "./history-port.ts";
import { pageOf, totalOf } from "./ordinal-range.ts";
import { rangeBounds } from "./time-range.ts";

type Question = HistoryQuestion<"internal-withdrawals">;
type Answer = HistoryAnswer<"internal-withdrawals">;

export async function internalWithdrawals(
  db: Kysely<HistoryTables>,
  question: Question,
): Promise<Answer> {
  const { uid, withdrawalId, asset, page } = question;
  if (withdrawalId !== null) return await one(db, question, withdrawalId);
  const ordinal = asset === null ? "uid_ordinal" : "asset_ordinal";
  let rows = db.selectFrom("internal_withdrawals").where("uid", "=", uid);
  if (asset !== null) rows = rows.where("asset", "=", asset);
  const [fromMs, toMs] = rangeBounds(question.time);
  const ordinals = rows.select(`${ordinal} as ordinal`).limit(1);
  const oldest = await ordinals
    .where("time_ms", ">=", fromMs)
    .orderBy("time_ms")
    .orderBy(ordinal)
    .executeTakeFirst();
  const newest = await ordinals
    .where("time_ms", "<=", toMs)
    .orderBy("time_ms", "desc")
    .orderBy(ordinal, "desc")
    .executeTakeFirst();
  if (oldest === undefined || newest === undefined) return { rows: [], total: 0 };
  const range = { first: oldest.ordinal, last: newest.ordinal };
  const { first, last } = pageOf(range, page);
  const found = await rows
    .selectAll()
    .where(ordinal, ">=", first)
    .where(ordinal, "<=", last)
    .orderBy(ordinal, "desc")
    .limit(page.pageSize)
    .execute();
  return { rows: found.map(internalWithdrawal), total: totalOf(range) };
}

/** The one with that id, if it is of the coin and the time. */
async function one(
  db: Kysely<HistoryTables>,
  { uid, asset, time, page }: Question,
  withdrawalId: number,
): Promise<Answer> {
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
