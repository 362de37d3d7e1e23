/** Who registered with a user's code, newest first, and what they brought, in USDT. */
import { type Row, subtractDecimals } from "../store/index.ts";
import type { ReferralActivity } from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";
import { NumberedRows } from "./numbered-rows.ts";
import { type Page, type Paged, rangeBounds, type TimeRange } from "./ranges.ts";

export const referrals: HistoryQuery<"referrals"> = async (
  db,
  { inviterUid, uid, registered, page },
) => {
  const { rows, total } = await referralPage(db, inviterUid, uid, registered, page);
  return {
    rows: rows.map((row) => ({
      uid: row.uid,
      registeredMs: row.registered_ms,
      kyc: row.kyc === 1,
    })),
    total,
  };
};

/** The direct invitees of a user, or of these the one with that uid. */
async function referralPage(
  db: Db,
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
  const numbered = new NumberedRows(db, "referrals", { inviter_uid: inviterUid }, "ordinal");
  const range = await numbered.between(["registered_ms", "ordinal"], fromMs, toMs);
  return await numbered.page(range, page);
}

export const referralActivity: HistoryQuery<"referral-activity"> = async (
  db,
  { inviterUid, uid, time, page },
) => {
  const registered = { fromMs: null, toMs: time.toMs };
  const { rows, total } = await referralPage(db, inviterUid, uid, registered, page);
  const answered: ReferralActivity[] = [];
  for (const referral of rows) answered.push(await activityOf(db, referral.uid, time));
  return { rows: answered, total };
};

/** Stored are running sums: two look-ups. */
async function activityOf(db: Db, uid: number, time: TimeRange): Promise<ReferralActivity> {
  const [fromMs, toMs] = rangeBounds(time);
  const before = await sumsUntil(db, uid, fromMs - 1);
  const sums = fromMs > toMs ? before : await sumsUntil(db, uid, toMs);
  const brought = (sum: Sum) => subtractDecimals(sums?.[sum] ?? "0", before?.[sum] ?? "0");
  return {
    uid,
    deposits: brought("deposits"),
    withdrawals: brought("withdrawals"),
    spotVolume: brought("spot_volume"),
    contractVolume: brought("contract_volume"),
    commission: brought("commission"),
  };
}

type Sum = Exclude<keyof Row<"referral_activity">, "uid" | "time_ms">;

async function sumsUntil(
  db: Db,
  uid: number,
  timeMs: number,
): Promise<Row<"referral_activity"> | undefined> {
  return await db
    .selectFrom("referral_activity")
    .selectAll()
    .where("uid", "=", uid)
    .where("time_ms", "<=", timeMs)
    .orderBy("time_ms", "desc")
    .limit(1)
    .executeTakeFirst();
}
