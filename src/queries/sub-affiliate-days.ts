/**
 * The days of an affiliate's sub-affiliates, newest first, then by uid. Each day holds the count of
 * rows up to its end, so the first day of a page is one look-up.
 */
import { utcDay } from "../affiliate-statement/index.ts";
import type { Row } from "../store/index.ts";
import type { HistoryAnswer, HistoryQuestion, SubAffiliateDay } from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";
import { NumberedRows, pageOf, totalOf } from "./numbered-rows.ts";
import { rangeBounds, type TimeRange } from "./ranges.ts";

type Question = HistoryQuestion<"sub-affiliate-days">;
type Answer = HistoryAnswer<"sub-affiliate-days">;

const NONE: Answer = { rows: [], total: 0 };

export const subAffiliateDays: HistoryQuery<"sub-affiliate-days"> = async (db, question) => {
  const [fromMs, toMs] = rangeBounds(question.time);
  if (fromMs > toMs) return NONE;
  const { subUid } = question;
  return subUid === null ? await ofAll(db, question) : await ofOne(db, question, subUid);
};

async function ofOne(
  db: Db,
  { parentUid, product, time, page }: Question,
  subUid: number,
): Promise<Answer> {
  const [fromDay, toDay] = daysOf(time);
  const filter = { parent_uid: parentUid, product, sub_uid: subUid };
  const days = new NumberedRows(db, "sub_affiliate_days", filter, "sub_ordinal");
  const range = await days.between(["day"], fromDay, toDay);
  const { rows, total } = await days.page(range, page);
  return { rows: rows.map(subAffiliateDay), total };
}

async function ofAll(db: Db, { parentUid, product, time, page }: Question): Promise<Answer> {
  const [fromDay, toDay] = daysOf(time);
  const totals = db
    .selectFrom("sub_affiliate_day_totals")
    .select(["day", "rows_until"])
    .where("parent_uid", "=", parentUid)
    .where("product", "=", product);
  const newestFirst = totals.orderBy("day", "desc");
  const newest = await newestFirst.where("day", "<=", toDay).limit(1).executeTakeFirst();
  const before = await newestFirst.where("day", "<", fromDay).limit(1).executeTakeFirst();
  const range = { first: (before?.rows_until ?? 0) + 1, last: newest?.rows_until ?? 0 };
  const total = totalOf(range);
  const { first, last } = pageOf(range, page);
  if (last < first) return { rows: [], total };

  const byRows = totals.where("rows_until", ">=", last).orderBy("rows_until");
  const begin = await byRows.limit(1).executeTakeFirstOrThrow();
  const days = await newestFirst
    .where("day", "<=", begin.day)
    .where("day", ">=", fromDay)
    .limit(page.pageSize)
    .execute();
  const found: Row<"sub_affiliate_days">[] = [];
  let skipped = begin.rows_until - last;
  for (const { day } of days) {
    const missing = last - first + 1 - found.length;
    if (missing === 0) break;
    const ofDay = await db
      .selectFrom("sub_affiliate_days")
      .selectAll()
      .where("parent_uid", "=", parentUid)
      .where("product", "=", product)
      .where("day", "=", day)
      .orderBy("sub_uid")
      .limit(skipped + missing)
      .execute();
    found.push(...ofDay.slice(skipped));
    skipped = 0;
  }
  return { rows: found.map(subAffiliateDay), total };
}

const LAST_DAY_MS = Date.UTC(9999, 11, 31);

/** The days that a range touches. */
function daysOf(time: TimeRange): [fromDay: string, toDay: string] {
  const [fromMs, toMs] = rangeBounds(time);
  return [utcDay(Math.min(fromMs, LAST_DAY_MS)), utcDay(Math.min(toMs, LAST_DAY_MS))];
}

function subAffiliateDay(row: Row<"sub_affiliate_days">): SubAffiliateDay {
  return {
    subUid: row.sub_uid,
    product: row.product,
    day: row.day,
    volume: row.volume,
    netFee: row.net_fee,
    paidCommission: row.paid_commission,
  };
}
