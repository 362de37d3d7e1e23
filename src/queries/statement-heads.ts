/** Question: where an affiliate's chain stood at the end of each day, oldest first. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";

export async function statementHeads(
  db: Kysely<HistoryTables>,
  { affiliateUid, fromDay, limit }: HistoryQuestion<"statement-heads">,
): Promise<HistoryAnswer<"statement-heads">> {
  return await db
    .selectFrom("affiliate_day_heads")
    .select(["affiliate_uid as affiliateUid", "day", "ordinal", "hash"])
    .where("affiliate_uid", "=", affiliateUid)
    .where("day", ">=", fromDay)
    .orderBy("day")
    .limit(limit)
    .execute();
}
