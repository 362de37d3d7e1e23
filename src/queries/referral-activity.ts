/**
 * Question: what the direct invitees of a user brought in a range, in USDT. Stored are running
 * sums, so each of them is two look-ups.
 */
import type { Kysely } from "kysely";
import { type HistoryTables, type Row, subtractDecimals } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion, ReferralActivity } from "./history-port.ts";
import { referralPage } from "./referrals.ts";
import { rangeBounds, type TimeRange } from "./time-range.ts";

export async function referralActivity(
  db: Kysely<HistoryTables>,
  { inviterUid, uid, time, page }: HistoryQuestion<"referral-activity">,
): Promise<HistoryAnswer<"referral-activity">> {
  const registered = { fromMs: null, toMs: time.toMs };
  const { rows, total } = await referralPage(db, inviterUid, uid, registered, page);
  const answered: ReferralActivity[] = [];
  for (const referral of rows) answered.push(await activityOf(db, referral.uid, time));
  return { rows: answered, total };
}

async function activityOf(
  db: Kysely<HistoryTables>,
  uid: number,
  time: TimeRange,
): Promise<ReferralActivity> {
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
  db: Kysely<HistoryTables>,
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
