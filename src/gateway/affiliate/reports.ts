/** Affiliate reports: commissions and their days, invitees and their activity, sub-affiliates. */
import { v2CommissionDaysRoute, v3CommissionDaysRoute } from "../../api/affiliate/overview.ts";
import {
  v2CommissionsRoute,
  v2ReferralActivityRoute,
  v2ReferralsRoute,
  v2SubAffiliatesRoute,
  v3CommissionsRoute,
  v3ReferralActivityRoute,
  v3ReferralsRoute,
  v3SubAffiliatesByGetRoute,
  v3SubAffiliatesRoute,
} from "../../api/affiliate/reports.ts";
import { refuse } from "../../api/errors.ts";
import type { AnswerOf, QueryOf } from "../../api/route.ts";
import { accept } from "../../domain/index.ts";
import type { Commission, Page, Paged, Referral } from "../../queries/history-port.ts";
import {
  type BodyInput,
  type Caller,
  type Endpoint,
  type Exchange,
  endpoint,
  type Handler,
  type Outcome,
  type QueryInput,
} from "../endpoint.ts";
import { queryHistory } from "../history.ts";
import { DAY_MS, type Read, readStartAndEnd } from "../parameters.ts";
import {
  dayOf,
  lookUpCoin,
  openReport,
  PRODUCTS_BY_TYPE,
  pagesOf,
  productTypeOf,
  queryCallingAffiliate,
  readDay,
  readIdFilter,
  sourceTypeOf,
} from "./parameters.ts";

const WEEK = { daysDefault: 7, daysMax: 90 };
const QUARTER = { daysDefault: 90, daysMax: 90 };
const DAYS_DEFAULT = 90;
const DAYS_MAX = 92;
/** Two megabytes: as much as one answer should have. */
const ROWS_MAX = 20_000;

type CommissionReport = AnswerOf<typeof v2CommissionsRoute>;

/** One row per side of a fill, newest first. */
const commissions: Handler<typeof v2CommissionsRoute> = async ({ caller, query }, exchange) => {
  const report = await openReport(exchange, caller.uid, query, WEEK);
  if (!report.ok) return report;
  const { time, sequence } = report.value;
  const asset = await lookUpCoin(exchange, query.coin);
  if (!asset.ok) return asset;
  const page = { page: query.page, pageSize: query.pageSize };
  const question = {
    affiliateUid: caller.uid,
    product: PRODUCTS_BY_TYPE[query.productType],
    traderUid: readIdFilter(query.uid),
    asset: asset.value,
    time,
    page,
  };
  const answer = await queryHistory(exchange, "commissions", question, sequence);
  if (!answer.ok) return answer;
  const { rows, total } = answer.value;
  return accept({
    pages: pagesOf(total, page),
    pageSize: page.pageSize,
    total,
    channelCommissionInfoItems: rows.map(toCommission),
  });
};

function toCommission(row: Commission): CommissionReport["channelCommissionInfoItems"][number] {
  return {
    uid: String(row.traderUid),
    date: row.timeMs,
    dealTime: String(row.timeMs),
    coin: row.asset,
    productType: productTypeOf(row.product),
    fee: row.fee,
    commission: row.amount,
    rate: row.rate,
    symbol: row.symbol,
    sourceType: sourceTypeOf(row),
    takerAmount: row.takerAmount,
    makerAmount: row.makerAmount,
    commissionId: String(row.commissionId),
    status: row.status,
    flags: [...row.flags],
  };
}

/** What each invitee brought, idle ones too. */
const referralActivity: Handler<typeof v2ReferralActivityRoute> = async (
  { caller, query },
  exchange,
) => {
  const report = await openReport(exchange, caller.uid, query, QUARTER);
  if (!report.ok) return report;
  const { time, sequence } = report.value;
  const page = { page: query.page, pageSize: query.pageSize };
  const question = { inviterUid: caller.uid, uid: readIdFilter(query.uid), time, page };
  const answer = await queryHistory(exchange, "referral-activity", question, sequence);
  if (!answer.ok) return answer;
  const { rows, total } = answer.value;
  return accept({
    pages: pagesOf(total, page),
    pageSize: page.pageSize,
    total,
    records: rows.map((row) => ({
      uid: String(row.uid),
      depositAmount: row.deposits,
      withdrawalAmount: row.withdrawals,
      spotTradingAmount: row.spotVolume,
      futuresTradingAmount: row.contractVolume,
      commission: row.commission,
    })),
  });
};

/** Direct invitees, newest first. */
async function findReferrals(
  caller: Caller,
  query: QueryInput<typeof v2ReferralsRoute>,
  exchange: Exchange,
): Promise<Outcome<Paged<Referral> & { readonly page: Page }>> {
  const registered = readStartAndEnd(query);
  if (!registered.ok) return registered;
  const affiliate = await queryCallingAffiliate(exchange, caller.uid);
  if (!affiliate.ok) return affiliate;
  const page = { page: query.page, pageSize: query.pageSize };
  const question = {
    inviterUid: caller.uid,
    uid: readIdFilter(query.uid),
    registered: registered.value,
    page,
  };
  const answer = await queryHistory(exchange, "referrals", question, affiliate.sequence);
  return answer.ok ? accept({ ...answer.value, page }) : answer;
}

function toReferral({ uid, registeredMs, kyc }: Referral) {
  return { uid: String(uid), registerTime: registeredMs, kycResult: kyc };
}

export const v2Referrals = endpoint(v2ReferralsRoute, async ({ caller, query }, exchange) => {
  const found = await findReferrals(caller, query, exchange);
  if (!found.ok) return found;
  return accept({ total: found.value.total, list: found.value.rows.map(toReferral) });
});

export const v3Referrals = endpoint(v3ReferralsRoute, async ({ caller, query }, exchange) => {
  const found = await findReferrals(caller, query, exchange);
  if (!found.ok) return found;
  const user = await exchange.engine.query<"user">({ type: "user", uid: caller.uid });
  if (!user.ok) return user;
  const { inviteCode } = user.value;
  const { total, rows, page } = found.value;
  return accept({
    pages: pagesOf(total, page),
    pageSize: page.pageSize,
    total,
    channelUserInfoItemList: rows.map((row) => ({ ...toReferral(row), inviteCode })),
  });
});

type SubAffiliatesInput =
  | BodyInput<typeof v2SubAffiliatesRoute>
  | QueryInput<typeof v3SubAffiliatesByGetRoute>;

/** What sub-affiliates earned on, by product and day. */
async function subAffiliates(
  { uid }: Caller,
  input: SubAffiliatesInput,
  exchange: Exchange,
): Promise<Outcome<AnswerOf<typeof v2SubAffiliatesRoute>>> {
  const report = await openReport(exchange, uid, input, WEEK);
  if (!report.ok) return report;
  const { time, sequence } = report.value;
  const { productType } = input;
  const page = { page: input.pageNum, pageSize: input.pageSize };
  const question = {
    parentUid: uid,
    subUid: readIdFilter(input.subUid),
    product: PRODUCTS_BY_TYPE[productType],
    time,
    page,
  };
  const answer = await queryHistory(exchange, "sub-affiliate-days", question, sequence);
  if (!answer.ok) return answer;
  const { rows, total } = answer.value;
  return accept({
    records: rows.map((row) => ({
      subAffiliateUid: String(row.subUid),
      productType,
      date: row.day,
      tradingVolume: row.volume,
      netTradingFee: row.netFee,
      paidCommission: row.paidCommission,
    })),
    total,
    size: page.pageSize,
    current: page.page,
    pages: pagesOf(total, page),
  });
}

/** What the caller earned on each UTC day, by product and coin. */
const commissionDays: Handler<typeof v2CommissionDaysRoute> = async (
  { caller, query },
  exchange,
) => {
  const asked = readDays(query);
  if (!asked.ok) return asked;
  const affiliate = await queryCallingAffiliate(exchange, caller.uid);
  if (!affiliate.ok) return affiliate;
  const [fromDay, toDay] = closeDays(asked.value, affiliate.timestampMs);
  const question = { affiliateUid: caller.uid, fromDay, toDay, limit: ROWS_MAX + 1 };
  const answer = await queryHistory(exchange, "commission-days", question, affiliate.sequence);
  if (!answer.ok) return answer;
  if (answer.value.length > ROWS_MAX) {
    return refuse("time-range-too-long", "from", `more than ${ROWS_MAX} rows: ask for fewer days`);
  }
  return accept(
    answer.value.map(({ day, product, asset, commissions, amount, usdtValue, volume }) => ({
      date: day,
      productType: productTypeOf(product),
      coin: asset,
      commissions,
      commission: amount,
      commissionUsdt: usdtValue,
      volumeUsdt: volume,
    })),
  );
};

/** Where the days begin; null where the caller did not say. */
interface SentDays {
  readonly from: number | null;
  readonly to: number | null;
}

function readDays(query: QueryOf<typeof v2CommissionDaysRoute>): Read<SentDays> {
  const [from, to] = [readEnd(query.from, "from"), readEnd(query.to, "to")];
  if (!from.ok) return from;
  if (!to.ok) return to;
  if (from.value !== null && to.value !== null) {
    if (from.value > to.value) {
      return refuse("start-after-end", "from", "from must not be after to");
    }
    if (to.value - from.value >= DAYS_MAX * DAY_MS) {
      return refuse("time-range-too-long", "to", `at most ${DAYS_MAX} days`);
    }
  }
  return accept({ from: from.value, to: to.value });
}

function readEnd(text: string | undefined, field: string): Read<number | null> {
  return text === undefined ? accept(null) : readDay(text, field);
}

/** A first day alone ends today, or where the longest range that begins there does. */
function closeDays({ from, to }: SentDays, nowMs: number): [fromDay: string, toDay: string] {
  if (from === null) {
    const end = to ?? nowMs;
    return [dayOf(Math.max(0, end - (DAYS_DEFAULT - 1) * DAY_MS)), dayOf(end)];
  }
  return [dayOf(from), dayOf(to ?? Math.min(nowMs, from + (DAYS_MAX - 1) * DAY_MS))];
}

export const v2SubAffiliates = endpoint(v2SubAffiliatesRoute, ({ caller, body }, exchange) =>
  subAffiliates(caller, body, exchange),
);
export const v3SubAffiliates = endpoint(v3SubAffiliatesRoute, ({ caller, body }, exchange) =>
  subAffiliates(caller, body, exchange),
);
export const v3SubAffiliatesByGet = endpoint(
  v3SubAffiliatesByGetRoute,
  ({ caller, query }, exchange) => subAffiliates(caller, query, exchange),
);
export const v2Commissions = endpoint(v2CommissionsRoute, commissions);
export const v3Commissions = endpoint(v3CommissionsRoute, commissions);
export const v2CommissionDays = endpoint(v2CommissionDaysRoute, commissionDays);
export const v3CommissionDays = endpoint(v3CommissionDaysRoute, commissionDays);
export const v2ReferralActivity = endpoint(v2ReferralActivityRoute, referralActivity);
export const v3ReferralActivity = endpoint(v3ReferralActivityRoute, referralActivity);

export const REPORT_ENDPOINTS: readonly Endpoint[] = [
  v2Commissions,
  v3Commissions,
  v2CommissionDays,
  v3CommissionDays,
  v2ReferralActivity,
  v3ReferralActivity,
  v2Referrals,
  v3Referrals,
  v2SubAffiliates,
  v3SubAffiliates,
  v3SubAffiliatesByGet,
];
