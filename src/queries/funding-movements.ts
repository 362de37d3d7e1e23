/**
 * Question: a page of a user's deposits and withdrawals, newest first, with the total. Rows carry
 * their ordinal, so the range is two look-ups, the total their difference, and no page is reached
 * by skipping.
 */
import type { Kysely } from "kysely";
import type { HistoryTables, Row } from "../store/index.ts";
import type { FundingMovement, HistoryAnswer, HistoryQuestion } from "./history-port.ts";
import { rangeBounds } from "./time-range.ts";

type Question = HistoryQuestion<"funding-movements">;

export async function fundingMovements(
  db: Kysely<HistoryTables>,
  question: Question,
): Promise<HistoryAnswer<"funding-movements">> {
  const { uid, asset, page } = question;
  const ordinal = asset === null ? "uid_ordinal" : "asset_ordinal";
  let movements = db.selectFrom("funding_movements").where("uid", "=", uid);
  if (asset !== null) movements = movements.where("asset", "=", asset);

  const [fromMs, toMs] = rangeBounds(question.time);
  const ordinals = movements.select(`${ordinal} as ordinal`).limit(1);
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
  if (oldest === undefined || newest === undefined || oldest.ordinal > newest.ordinal) {
    return { rows: [], total: 0 };
  }

  const last = newest.ordinal - (page.page - 1) * page.pageSize;
  const first = Math.max(oldest.ordinal, last - page.pageSize + 1);
  const rows = await movements
    .selectAll()
    .where(ordinal, ">=", first)
    .where(ordinal, "<=", last)
    .orderBy(ordinal, "desc")
    .limit(page.pageSize)
    .execute();
  return { rows: rows.map(fundingMovement), total: newest.ordinal - oldest.ordinal + 1 };
}

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
