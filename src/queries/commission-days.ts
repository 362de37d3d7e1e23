/** Question: what an affiliate earned on each UTC day, by product and coin, oldest day first. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";

export async function commissionDays(
  db: Kysely<HistoryTables>,
  { affiliateUid, fromDay, toDay, limit }: HistoryQuestion<"commission-days">,
): Promise<HistoryAnswer<"commission-days">> {
  const rows = await db
    .selectFrom("affiliate_days")
    .selectAll()
    .where("affiliate_uid", "=", affiliateUid)
    .where("day", ">=", fromDay)
    .where("day", "<=", toDay)
    .orderBy("day")
    .orderBy("product")
    .orderBy("asset")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    day: row.day,
    product: row.product,
    asset: row.asset,
    commissions: row.commissions,
    amount: row.amount,
    usdtValue: row.usdt_value,
    volume: row.volume,
  }));
}
