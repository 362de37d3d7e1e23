/** What affiliates and operators are told of commissions, against the story of the journal. */
import { isDeepStrictEqual } from "node:util";
import type { ReportedRow } from "../support/affiliate/commission-rows.ts";
import { naiveAffiliate } from "../support/affiliate/naive-affiliate-views.ts";
import { Random } from "../support/random.ts";
import { AFFILIATE_READINGS } from "./affiliate-readings.ts";
import { checkReports } from "./affiliate-reports.ts";
import { hold } from "./breach.ts";
import { commissionOf } from "./commission-readings.ts";
import { checkReadings } from "./readings.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import type { Trader } from "./trader.ts";

const PAGE_ROWS = 100;
const DAYS_MAX_MS = 89 * 86_400_000;
/** Questions of each affiliate. */
const READINGS = 3;
/** What a commission came to has the most to tell. */
const OFTEN = 3;
const TARGETS = Object.keys(AFFILIATE_READINGS).flatMap((target) => {
  return target.includes("explain") ? Array.from({ length: OFTEN }, () => target) : [target];
});
const PRODUCTS = ["SPOT", "FUTURES"] as const;

interface Page {
  readonly total: number;
  readonly channelCommissionInfoItems: readonly Readonly<Record<string, unknown>>[];
}

/** Of an exchange to which nobody sends anything meanwhile. */
export async function checkAffiliate(trader: Trader): Promise<void> {
  const { exchange, name, uid } = trader;
  const { programme } = exchange.story.affiliates;
  if (!programme.isAffiliate(uid)) return;
  const said = await exchange.readOperator<Record<string, unknown>>(`affiliates/${uid}`);
  const { ratesSinceMs, ...due } = naiveAffiliate(programme, uid);
  const expected = { ...due, ratesSince: ratesSinceMs };
  const both = () => `${name}: ${JSON.stringify(said)} instead of ${JSON.stringify(expected)}`;
  hold(isDeepStrictEqual(said, expected), "an affiliate's place, rates and balances", both);
  for (const productType of PRODUCTS) await checkReport(trader, productType);
  await checkReports(trader);
  await checkOne(exchange, uid);
}

/** Anything that it may ask. Of an exchange to which nobody sends anything meanwhile. */
export async function askAsAffiliate(trader: Trader, count = READINGS): Promise<void> {
  const { exchange, uid } = trader;
  if (!exchange.story.affiliates.programme.isAffiliate(uid)) return;
  await checkReadings(trader, "spot", count, TARGETS);
}

async function checkReport(trader: Trader, productType: (typeof PRODUCTS)[number]): Promise<void> {
  const { credentials, exchange, name, uid } = trader;
  const { story } = exchange;
  const endTime = story.timeMs;
  const startTime = endTime - DAYS_MAX_MS;
  const rows = story.affiliates.rows.of(uid, productType);
  const due = rows.filter(({ dealTime }) => Number(dealTime) >= startTime);
  const query = { productType, startTime, endTime, pageSize: PAGE_ROWS, page: 1 };
  const path = "/api/v3/rebate/affiliate/getAffiliateCommission";
  const page = await exchange.read<Page>(credentials, path, query);
  const shown = page.channelCommissionInfoItems.map(({ date, ...row }) => {
    hold(String(date) === row.dealTime, "commissions are reported", () => JSON.stringify(row));
    return row.status === "reversal" ? { ...row, sourceType: null } : row;
  });
  await checkPart(trader, productType, rows);
  const counts = () => `${name} ${productType}: ${page.total} instead of ${due.length}`;
  hold(page.total === due.length, "commissions are reported", counts);
  const at = shown.findIndex((row, index) => !isDeepStrictEqual(row, due[index]));
  const both = () => `${JSON.stringify(shown[at])} instead of ${JSON.stringify(due[at])}`;
  hold(at < 0, "commissions are reported", () => `${name} ${productType}: ${both()}`);
}

/** Commissions of a part of time that begins and ends with some of them, or one beside. */
async function checkPart(
  { credentials, exchange, name, uid }: Trader,
  productType: (typeof PRODUCTS)[number],
  rows: readonly ReportedRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const random = new Random(exchange.story.sequence ^ uid);
  const bound = () => Number(random.pick([...rows]).dealTime) + random.pick([-1, 0, 0, 1]);
  const [startTime = 0, endTime = 0] = [bound(), bound()].sort((one, other) => one - other);
  if (endTime - startTime > DAYS_MAX_MS) return;
  const pageSize = random.integer(1, 5);
  const inside = rows.filter(({ dealTime }) => {
    return Number(dealTime) >= startTime && Number(dealTime) <= endTime;
  });
  const page = random.integer(1, Math.ceil(inside.length / pageSize) + 1);
  const query = { productType, startTime, endTime, pageSize, page };
  const path = "/api/v3/rebate/affiliate/getAffiliateCommission";
  const said = await exchange.read<Page>(credentials, path, query);
  const due = inside.slice((page - 1) * pageSize, page * pageSize);
  const ids = said.channelCommissionInfoItems.map(({ commissionId }) => String(commissionId));
  const dueIds = due.map(({ commissionId }) => String(commissionId));
  const detail = () =>
    `${name} ${JSON.stringify(query)}: ${said.total} ${ids} instead of ${inside.length} ${dueIds}`;
  const isSame = said.total === inside.length && isDeepStrictEqual(ids, dueIds);
  hold(isSame, "a part of the commissions is reported", detail);
}

/** One commission as its operator sees it: the fill's fee, the rate and what became of it. */
async function checkOne(exchange: SimulatedExchange, affiliateUid: number): Promise<void> {
  const { story } = exchange;
  const { programme } = story.affiliates;
  const own = [...programme.rows.values()].filter(({ event }) => {
    return event.affiliateUid === affiliateUid;
  });
  if (own.length === 0) return;
  const random = new Random(story.sequence);
  // What was decided about has more to tell.
  const decided = own.filter(({ event, isReversed }) => isReversed || event.isHeld);
  const some = decided.length > 0 && random.chance(0.5) ? decided : own;
  const { event, isHeld, isReversed } = random.pick(some);
  const { asset, commissionId, commissionMinor, cappedMinor, feeMinor, tradeId } = event;
  const said = await exchange.readOperator<Record<string, unknown>>(`commissions/${commissionId}`);
  const amount = (minor: bigint) => programme.amountText(asset, minor);
  const expected = {
    amount: amount(commissionMinor),
    fee: amount(feeMinor),
    capped: amount(cappedMinor),
    gross: amount(commissionMinor + cappedMinor),
    viaUid: event.viaUid,
    traderUid: event.traderUid,
    flags: event.flags,
  };
  const shown = Object.fromEntries(Object.keys(expected).map((key) => [key, said[key]]));
  const detail = () =>
    `${commissionId}: ${JSON.stringify(said)} instead of ${JSON.stringify(expected)}`;
  hold(isDeepStrictEqual(shown, expected), "a commission is explained", detail);
  const fill = said.fill as { readonly tradeId?: unknown; readonly role?: unknown } | null;
  const isOfFill = fill?.tradeId === tradeId && fill.role === (event.isMaker ? "maker" : "taker");
  hold(isOfFill, "a commission is explained", detail);
  const whole = commissionOf(story.history, commissionId);
  const both = () => `${JSON.stringify(said)} instead of ${JSON.stringify(whole)}`;
  hold(isDeepStrictEqual(said, whole), "a commission is explained", both);
  const { status } = said;
  const isEnded = isReversed ? status === "reversed" : !isHeld || status === "held";
  hold(isEnded, "a commission is explained", detail);
}
