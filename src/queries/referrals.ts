/** Question: a page of those who registered with a user's code, newest first. */
import type { Kysely } from "kysely";
import type { HistoryTables, Row } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion } from "./history-port.ts";
import { pageOf, totalOf } from "./ordinal-range.ts";
import type { Page, Paged } from "./page.ts";
import { rangeBounds, type TimeRange } from "./time-range.ts";

export async function referrals(
  db: Kysely<HistoryTables>,
  { inviterUid, uid, registered, page }: HistoryQuestion<"referrals">,
): Promise<HistoryAnswer<"referrals">> {
  const { rows, total } = await referralPage(db, inviterUid, uid, registered, page);
  return {
    rows: rows.map((row) => ({
      uid: row.uid,
      registeredMs: row.registered_ms,
      kyc: row.kyc === 1,
    })),
    total,
  };
}

/** The direct invitees of a user, or of these the one with that uid. */
export async function referralPage(
  db: Kysely<HistoryTables>,
  inviterUid: number,
  uid: number | null,
  registered: TimeRange,
  page: Page,
): Promise<Paged<Row<"referrals">>> {
  const [fromMs, toMs] = rangeBounds(registered);
  if (uid !== null) {
    const rows = db.selectFrom("referrals").selectAll().where("uid", "=", uid).limit(1);
    const found = (await rows.execute()).filter(
      (row) =>
        row.inviter_uid === inviterUid && row.registered_ms >= fromMs && row.registered_ms <= toMs,
    );
    return { rows: page.page === 1 ? found : [], total: found.length };
  }
  const rows = db.selectFrom("referrals").where("inviter_uid", "=", inviterUid);
  const ordinals = rows.select("ordinal").limit(1);
  const oldest = await ordinals
    .where("registered_ms", ">=", fromMs)
    .orderBy("registered_ms")
    .orderBy("ordinal")
    .executeTakeFirst();
  const newest = await ordinals
    .where("registered_ms", "<=", toMs)
    .orderBy("registered_ms", "desc")
    .orderBy("ordinal", "desc")
    .executeTakeFirst();
  if (oldest === undefined || newest === undefined) return { rows: [], total: 0 };
  const range = { first: oldest.ordinal, last: newest.ordinal };
  const { first, last } = pageOf(range, page);
  const found = await rows
    .selectAll()
    .where("ordinal", ">=", first)
    .where("ordinal", "<=", last)
    .orderBy("ordinal", "desc")
    .limit(page.pageSize)
    .execute();
  return { rows: found, total: totalOf(range) };
}
