/** Question: a page of an affiliate's commissions and their reversals, newest first. */
import type { Kysely } from "kysely";
import type { HistoryTables, Row } from "../store/index.ts";
import { commissionOf, lastSettlementId } from "./commission-row.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";
import { ordinalsIn, pageOf, totalOf } from "./ordinal-range.ts";

type Question = HistoryQuestion<"commissions">;

export async function commissions(
  db: Kysely<HistoryTables>,
  question: Question,
): Promise<HistoryAnswer<"commissions">> {
  const { affiliateUid, product, traderUid, asset } = question;
  let rows = db
    .selectFrom("commissions")
    .where("affiliate_uid", "=", affiliateUid)
    .where("product", "=", product);
  if (traderUid !== null) rows = rows.where("trader_uid", "=", traderUid);
  if (asset !== null) rows = rows.where("asset", "=", asset);
  const ordinal = ordinalColumn(question);

  const newest = await rows
    .select(`${ordinal} as ordinal`)
    .orderBy(ordinal, "desc")
    .limit(1)
    .executeTakeFirst();
  const times = rows.select("time_ms").limit(1);
  const timeOf = async (at: number) =>
    (await times.where(ordinal, "=", at).executeTakeFirstOrThrow()).time_ms;
  const range = await ordinalsIn({ count: newest?.ordinal ?? 0, timeOf }, question.time);
  const page = pageOf(range, question.page);
  const found = await rows
    .selectAll()
    .where(ordinal, ">=", page.first)
    .where(ordinal, "<=", page.last)
    .orderBy(ordinal, "desc")
    .limit(question.page.pageSize)
    .execute();
  return { rows: await withStatus(db, affiliateUid, found), total: totalOf(range) };
}

/** Which of a row's places counts. */
function ordinalColumn({ traderUid, asset }: Question) {
  if (traderUid !== null) return asset === null ? "trader_ordinal" : "both_ordinal";
  return asset === null ? "ordinal" : "asset_ordinal";
}

async function withStatus(
  db: Kysely<HistoryTables>,
  affiliateUid: number,
  rows: readonly Row<"commissions">[],
) {
  const lastIds = new Map<string, number>();
  for (const { asset } of rows) {
    if (lastIds.has(asset)) continue;
    lastIds.set(asset, await lastSettlementId(db, affiliateUid, asset));
  }
  return rows.map((row) => commissionOf(row, lastIds.get(row.asset) ?? 0));
}
