/**
 * What an affiliate may ask of its place, its commissions and those below, with every filter, page
 * and range, also without one, and what the naive programme and history answer.
 */
import type { HistoryAnswer } from "../../src/queries/index.ts";
import { naiveAffiliate } from "../support/affiliate/naive-affiliate-views.ts";
import type { Random } from "../support/random.ts";
import { explained } from "./explanations.ts";
import {
  type Known,
  maybe,
  type Question,
  type Range,
  type Readings,
  sentOf,
  sentRange,
  somePage,
  someRange,
} from "./questions.ts";
import { someStatement, someStatementHeads } from "./statement-readings.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const ALL = { page: 1, pageSize: 1_000_000 };
const ALWAYS = { fromMs: null, toMs: null };
/** No user has such an id. */
const STRANGER = "9999999999999999999";
const TYPES = { SPOT: "spot", FUTURES: "contract" } as const;

type ProductType = keyof typeof TYPES;

/** How long a range is without its start, and at most. */
interface Window {
  readonly usual: number;
  readonly most: number;
}

const WEEK = { usual: 7, most: 90 };
const QUARTER = { usual: 90, most: 90 };
const MONTH = { usual: 31, most: 31 };

/** One that is not refused when it is asked for, perhaps a while behind the last command. */
function inWindow(known: Known, random: Random, rows: readonly number[], { most }: Window): Range {
  const { fromMs, toMs } = someRange(known, random, rows);
  const oldestMs = (toMs ?? known.nowMs + DAY_MS) - most * DAY_MS;
  return { fromMs: fromMs === null ? null : Math.max(0, fromMs, oldestMs), toMs };
}

/** What is left out is the present, and the usual length. */
function closed({ fromMs, toMs }: Range, { usual }: Window, nowMs: number) {
  const endMs = toMs ?? Math.max(nowMs, fromMs ?? 0);
  return { fromMs: fromMs ?? Math.max(0, endMs - usual * DAY_MS), toMs: endMs };
}

/** Pages are counted from 1. */
function pageOf(random: Random, rows: number) {
  const { limit: pageSize, page, sent } = somePage(random, rows, 100, 200);
  const number = page === undefined ? undefined : page + 1;
  return { page: { page: number ?? 1, pageSize }, sent: { page: number, pageSize: sent } };
}

function pagesOf(total: number, pageSize: number): number {
  return Math.floor((total + pageSize - 1) / pageSize);
}

/** A user as it is sent, and as a filter. */
function someUid({ naive }: Known, random: Random, some: readonly number[]) {
  const known = some.length > 0 && random.chance(0.8) ? some : [...naive.users.keys()];
  const uid = maybe(random, known);
  if (uid !== null && random.chance(0.05)) return { uid: 0, sent: STRANGER };
  return { uid, sent: uid === null ? undefined : String(uid) };
}

/** The envelope around some answers of version 2. */
function merged(said: unknown, due: object): object {
  const { timestamp } = said as { readonly timestamp: unknown };
  return { code: "200", ...due, timestamp };
}

function commissionsOf({ history, uid }: Known, productType: ProductType) {
  const of = { affiliateUid: uid, product: TYPES[productType], traderUid: null, asset: null };
  return history.answer("commissions", { ...of, time: ALWAYS, page: ALL }).rows;
}

const someType = (random: Random) => random.pick(["SPOT", "FUTURES"] as const);

/** The question is one of those whom it pays for. */
function ofAffiliate(reading: Readings[string]): Readings[string] {
  return (known, random) =>
    known.programme.isAffiliate(known.uid) ? reading(known, random) : null;
}

/** What waits is in the programme, what was paid in the history. */
function profile({ history, naive, programme, uid }: Known): Question {
  const user = naive.users.get(uid);
  return {
    sent: {},
    isOfNow: true,
    due: (_, nowMs) => {
      const { balances, depth, parentUid, ...rest } = naiveAffiliate(programme, uid);
      const paid = history.answer("paid-commissions", { affiliateUid: uid });
      const coins = new Set([...balances, ...paid].map(({ asset }) => asset));
      return {
        uid: String(uid),
        inviteCode: user?.inviteCode,
        parentUid: parentUid === null ? null : String(parentUid),
        depth,
        ...{ spotRate: rest.spotRate, futuresRate: rest.futuresRate },
        ...{ rateVersion: rest.rateVersion, ratesSince: rest.ratesSinceMs },
        balances: [...coins].sort().map((coin) => {
          const waiting = balances.find(({ asset }) => asset === coin);
          const { payable = "0", held = "0", owed = "0" } = waiting ?? {};
          const got = paid.find(({ asset }) => asset === coin)?.paid ?? "0";
          return { coin, payable, held, owed, paid: got };
        }),
        nextSettlementTime: nowMs - (nowMs % HOUR_MS) + HOUR_MS,
      };
    },
  };
}

const DAYS_USUAL = 90;
const DAYS_MOST = 92;

const dayText = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Days of commissions, or the ones beside. */
function commissionDays(known: Known, random: Random): Question {
  const { history, uid } = known;
  const rows = commissionsOf(known, someType(random)).map(({ timeMs }) => timeMs);
  const day = () => {
    const some = rows.length > 0 ? random.pick([...rows]) : known.nowMs;
    const away = random.pick([0, 0, 0, -1, 1, -DAYS_MOST]);
    return random.chance(0.4) ? null : Math.floor(some / DAY_MS) + away;
  };
  const [one, other] = [day(), day()];
  const isBoth = one !== null && other !== null;
  const to = isBoth ? Math.max(one, other) : other;
  const from = isBoth ? Math.max(Math.min(one, other), Math.max(one, other) - DAYS_MOST + 1) : one;
  const text = (number: number | null) =>
    number === null ? undefined : dayText(Math.max(0, number) * DAY_MS);
  return {
    sent: sentOf({ from: text(from), to: text(to) }),
    isOfNow: true,
    due: (_, nowMs) => {
      const today = Math.floor(nowMs / DAY_MS);
      const last = to ?? (from === null ? today : Math.min(today, from + DAYS_MOST - 1));
      const [fromDay, toDay] = [from ?? last - DAYS_USUAL + 1, last].map((number) => text(number));
      const bounds = { fromDay: fromDay ?? "", toDay: toDay ?? "" };
      const days = history.answer("commission-days", { affiliateUid: uid, ...bounds, limit: 9999 });
      return days.map(({ amount, asset, commissions, day: date, product, usdtValue, volume }) => ({
        ...{ date, productType: product === "spot" ? "SPOT" : "FUTURES", coin: asset, commissions },
        ...{ commission: amount, commissionUsdt: usdtValue, volumeUsdt: volume },
      }));
    },
  };
}

function explanation(known: Known, random: Random): Question | null {
  const { history, programme, uid } = known;
  const rows = [...programme.rows.values()].filter(({ event }) => event.affiliateUid === uid);
  if (rows.length === 0) return null;
  // What was decided about, cut or paid late has more to tell.
  const special = rows.filter(({ event, isReversed }) => {
    return isReversed || event.isHeld || event.cappedMinor > 0n;
  });
  const some = special.length > 0 && random.chance(0.5) ? special : rows;
  const own = random.pick(some).event.commissionId;
  const ofReversal = history.answer("commission", { commissionId: own })?.reversal?.reversalId;
  const commissionId = random.chance(0.3) ? (ofReversal ?? own) : own;
  return {
    sent: sentOf({ commissionId: String(commissionId) }),
    due: (said) => explained(history.answer("commission", { commissionId }), said),
  };
}

function itemOf(row: HistoryAnswer<"commissions">["rows"][number]) {
  return {
    ...{ uid: String(row.traderUid), date: row.timeMs, dealTime: String(row.timeMs) },
    ...{ coin: row.asset, productType: row.product === "spot" ? "SPOT" : "FUTURES", fee: row.fee },
    ...{ commission: row.amount, rate: row.rate, symbol: row.symbol },
    sourceType: row.viaUid === null ? 1 : 2,
    ...{ takerAmount: row.takerAmount, makerAmount: row.makerAmount },
    ...{ commissionId: String(row.commissionId), status: row.status, flags: row.flags },
  };
}

function commissions(known: Known, random: Random) {
  const { history, uid: affiliateUid } = known;
  const productType = someType(random);
  const all = commissionsOf(known, productType);
  const times = all.map(({ timeMs }) => timeMs);
  const range = inWindow(known, random, times, WEEK);
  const trader = someUid(
    known,
    random,
    all.map(({ traderUid }) => traderUid),
  );
  const asset = maybe(random, ["USDT", "BTC", "ETH"]);
  const { page, sent } = pageOf(random, all.length);
  const isUsual = productType === "SPOT" && random.chance(0.3);
  const filters = { uid: trader.sent, coin: asset ?? undefined };
  const type = { productType: isUsual ? undefined : productType };
  return {
    sent: { ...sentRange(range), ...sentOf({ ...filters, ...type, ...sent }) },
    isOfNow: true,
    due: (_: unknown, nowMs: number) => {
      const time = closed(range, WEEK, nowMs);
      const of = { affiliateUid, product: TYPES[productType], traderUid: trader.uid, asset };
      const { rows, total } = history.answer("commissions", { ...of, time, page });
      const { pageSize } = page;
      const counts = { pages: pagesOf(total, pageSize), pageSize, total };
      return { ...counts, channelCommissionInfoItems: rows.map(itemOf) };
    },
  };
}

function activity(known: Known, random: Random) {
  const { history, uid: inviterUid } = known;
  const range = inWindow(known, random, [], QUARTER);
  const invited = history.answer("referrals", OF_ALL(inviterUid)).rows;
  const one = someUid(
    known,
    random,
    invited.map(({ uid }) => uid),
  );
  const { page, sent } = pageOf(random, invited.length);
  return {
    sent: { ...sentRange(range), ...sentOf({ uid: one.sent, ...sent }) },
    isOfNow: true,
    due: (_: unknown, nowMs: number) => {
      const time = closed(range, QUARTER, nowMs);
      const question = { inviterUid, uid: one.uid, time, page };
      const { rows, total } = history.answer("referral-activity", question);
      const records = rows.map((row) => ({
        ...{ uid: String(row.uid), depositAmount: row.deposits, commission: row.commission },
        ...{ withdrawalAmount: row.withdrawals, spotTradingAmount: row.spotVolume },
        futuresTradingAmount: row.contractVolume,
      }));
      return { pages: pagesOf(total, page.pageSize), pageSize: page.pageSize, total, records };
    },
  };
}

const OF_ALL = (inviterUid: number) => ({ inviterUid, uid: null, registered: ALWAYS, page: ALL });

/** In all versions the same rows, under other names. */
function referrals(known: Known, random: Random) {
  const { history, naive, uid: inviterUid } = known;
  const all = history.answer("referrals", OF_ALL(inviterUid)).rows;
  const times = all.map(({ registeredMs }) => registeredMs);
  // Of one of them, up to around its own registration.
  const newcomer = random.chance(0.3) ? maybe(random, all) : null;
  const untilMs = (newcomer?.registeredMs ?? 0) + random.integer(-1, 0);
  const range = someRange(known, random, times);
  const registered = newcomer === null ? range : { fromMs: null, toMs: untilMs };
  const some = someUid(
    known,
    random,
    all.map(({ uid }) => uid),
  );
  const one = newcomer === null ? some : { uid: newcomer.uid, sent: String(newcomer.uid) };
  const { page, sent } = pageOf(random, all.length);
  return {
    sent: { ...sentRange(registered), ...sentOf({ uid: one.sent, ...sent }) },
    inviteCode: naive.users.get(inviterUid)?.inviteCode,
    pageSize: page.pageSize,
    found: () => {
      const question = { inviterUid, uid: one.uid, registered, page };
      const { rows, total } = history.answer("referrals", question);
      const list = rows.map(({ kyc, registeredMs, uid }) => {
        return { uid: String(uid), registerTime: registeredMs, kycResult: kyc };
      });
      return { list, total };
    },
  };
}

function subAffiliates(known: Known, random: Random, isBody: boolean) {
  const { history, programme, uid: parentUid } = known;
  const productType = someType(random);
  const product = TYPES[productType];
  const below = [...programme.affiliates.values()].filter((one) => one.parentUid === parentUid);
  const times = below.flatMap(({ uid }) => {
    return commissionsOf({ ...known, uid }, productType).map(({ timeMs }) => timeMs);
  });
  const range = inWindow(known, random, times, WEEK);
  const sub = someUid(
    known,
    random,
    below.map(({ uid }) => uid),
  );
  const { page, sent } = pageOf(random, below.length * 2);
  const isNumber = isBody && sub.uid !== 0 && random.chance(0.5);
  const subUid = isNumber && sub.uid !== null ? sub.uid : sub.sent;
  const paged = { pageNum: sent.page, pageSize: sent.pageSize };
  return {
    sent: { ...sentRange(range), ...sentOf({ productType, subUid, ...paged }) },
    isOfNow: true,
    due: (_: unknown, nowMs: number) => {
      const time = closed(range, WEEK, nowMs);
      const question = { parentUid, subUid: sub.uid, product, time, page };
      const { rows, total } = history.answer("sub-affiliate-days", question);
      const records = rows.map((row) => ({
        ...{ subAffiliateUid: String(row.subUid), productType, date: row.day },
        ...{ tradingVolume: row.volume, netTradingFee: row.netFee },
        paidCommission: row.paidCommission,
      }));
      const { page: current, pageSize: size } = page;
      return { records, total, size, current, pages: pagesOf(total, size) };
    },
  };
}

/** Of the last 31 days, whatever is asked for. */
function payments(known: Known, random: Random) {
  const { history, nowMs: lastMs, uid } = known;
  const of = { uid, withdrawalId: null, asset: null };
  const all = history.answer("internal-withdrawals", { ...of, time: ALWAYS, page: ALL }).rows;
  const oldestMs = lastMs - (MONTH.most - 1) * DAY_MS;
  const range = someRange(
    known,
    random,
    all.map(({ timeMs }) => timeMs),
  );
  const [fromMs, toMs] = [range.fromMs, range.toMs].map((ms) =>
    ms === null || ms < oldestMs ? null : ms,
  );
  const bounds = { fromMs: fromMs ?? null, toMs: toMs ?? null };
  const one = random.chance(0.3) ? maybe(random, all) : null;
  const asset = maybe(random, ["USDT", "BTC"]);
  const { page, sent } = pageOf(random, all.length);
  const filters = { withdrawID: one?.withdrawalId, coin: asset ?? undefined };
  return {
    sent: { ...sentRange(bounds), ...sentOf({ ...filters, ...sent }) },
    page,
    found: (nowMs: number) => {
      const { fromMs: from, toMs: to } = closed(bounds, MONTH, nowMs);
      const time = { fromMs: Math.max(from, nowMs - MONTH.most * DAY_MS), toMs: to };
      const question = { uid, withdrawalId: one?.withdrawalId ?? null, asset, time, page };
      const { rows, total } = history.answer("internal-withdrawals", question);
      const items = rows.map((row) => ({
        ...{ fromUserId: String(row.fromUid), toUserId: String(row.toUid), coin: row.asset },
        ...{ withdrawId: String(row.withdrawalId), status: "SUCCESS", amount: row.amount },
        ...{ createTime: row.timeMs, updateTime: row.timeMs },
      }));
      return { items, total };
    },
  };
}

const V2 = "/api/v2/rebate/affiliate";
const V3 = "/api/v3/rebate/affiliate";

/** Both versions answer the same. */
const inBoth = (name: string, reading: Readings[string]): Readings => ({
  [`GET ${V2}/${name}`]: reading,
  [`GET ${V3}/${name}`]: reading,
});

const ALL_READINGS: Readings = {
  ...inBoth("profile", profile),
  ...inBoth("commissionDays", commissionDays),
  ...inBoth("explainCommission", explanation),
  [`GET ${V2}/statement`]: someStatement("document"),
  [`GET ${V3}/statement`]: someStatement("file"),
  ...inBoth("statementHeads", someStatementHeads),
  ...inBoth("getAffiliateCommission", commissions),
  ...inBoth("getChannelUserTradeAndAsset", activity),
  [`GET ${V2}/getAffiliateUIDs`]: (known, random) => {
    const { found, sent } = referrals(known, random);
    return { sent, due: (said) => merged(said, found()) };
  },
  [`GET ${V3}/getAffiliateUIDs`]: (known, random) => {
    const { found, inviteCode, pageSize, sent } = referrals(known, random);
    const due = () => {
      const { list, total } = found();
      const items = list.map((row) => ({ ...row, inviteCode }));
      const counts = { pages: pagesOf(total, pageSize), pageSize, total };
      return { ...counts, channelUserInfoItemList: items };
    };
    return { sent, due };
  },
  [`POST ${V2}/querySubChannelTransactions`]: (known, random) => subAffiliates(known, random, true),
  [`POST ${V3}/querySubChannelTransactions`]: (known, random) => subAffiliates(known, random, true),
  [`GET ${V3}/querySubChannelTransactions`]: (known, random) => subAffiliates(known, random, false),
  [`GET ${V2}/getInternalWithdrawalStatus`]: (known, random) => {
    const { found, sent } = payments(known, random);
    const due = (said: unknown, nowMs: number) => {
      const { items: list, total } = found(nowMs);
      return merged(said, { total, list });
    };
    return { sent, isOfNow: true, due };
  },
  [`GET ${V3}/getInternalWithdrawalStatus`]: (known, random) => {
    const { found, page: asked, sent } = payments(known, random);
    const due = (_: unknown, nowMs: number) => {
      const { items, total } = found(nowMs);
      const { page, pageSize } = asked;
      const pages = pagesOf(total, pageSize);
      return { items, total, pageSize, page, pages, hasNextPage: page < pages };
    };
    return { sent, isOfNow: true, due };
  },
};

/** Asked for by name alone, of affiliates. */
export const AFFILIATE_READINGS: Readings = Object.fromEntries(
  Object.entries(ALL_READINGS).map(([target, reading]) => [target, ofAffiliate(reading)]),
);
