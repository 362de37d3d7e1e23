/** Question: what settlements have paid to an affiliate, by coin; two look-ups for each. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion, PaidCommissions } from "./history-port.ts";

/** More than a venue lists. */
const COINS_MAX = 100_000;

export async function paidCommissions(
  db: Kysely<HistoryTables>,
  { affiliateUid }: HistoryQuestion<"paid-commissions">,
): Promise<HistoryAnswer<"paid-commissions">> {
  const coins = await db
    .selectFrom("affiliate_coins")
    .select("asset")
    .where("affiliate_uid", "=", affiliateUid)
    .orderBy("asset")
    .limit(COINS_MAX)
    .execute();
  const found: PaidCommissions[] = [];
  for (const { asset } of coins) {
    const last = await db
      .selectFrom("affiliate_settlements")
      .select("paid_until")
      .where("affiliate_uid", "=", affiliateUid)
      .where("asset", "=", asset)
      .orderBy("settlement_id", "desc")
      .limit(1)
      .executeTakeFirst();
    if (last !== undefined) found.push({ asset, paid: last.paid_until });
  }
  return found;
}
