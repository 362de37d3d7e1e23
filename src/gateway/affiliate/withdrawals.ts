/** GET getInternalWithdrawalStatus: the caller's payments of the past month, newest first. */

import {
  v2InternalWithdrawalsRoute,
  v3InternalWithdrawalsRoute,
} from "../../api/affiliate/withdrawals.ts";
import { type Refusal, refuse } from "../../api/errors.ts";
import type { QueryOf } from "../../api/route.ts";
import { accept } from "../../domain/index.ts";
import type { InternalWithdrawal, Page, Paged, TimeRange } from "../../queries/history-port.ts";
import { type Caller, type Exchange, endpoint, type Outcome } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { readTimeRange } from "../parameters.ts";
import { askCallingAffiliate } from "./calling-affiliate.ts";
import { lookUpCoin, pagesOf, readIdFilter, readPage } from "./parameters.ts";
import { closeReportRange } from "./report-range.ts";
import { DAY_MS } from "./utc-day.ts";

/** As long as the longest month. */
const DAYS_BACK_MAX = 31;
const WINDOW = { daysStandard: DAYS_BACK_MAX, daysMax: DAYS_BACK_MAX };

interface Found extends Paged<InternalWithdrawal> {
  readonly page: Page;
}

async function find(
  caller: Caller,
  query: QueryOf<typeof v2InternalWithdrawalsRoute>,
  exchange: Exchange,
): Promise<Outcome<Found>> {
  const range = readTimeRange(query.startTime, query.endTime, ["startTime", "endTime"]);
  if (!range.ok) return range;
  const affiliate = await askCallingAffiliate(exchange, caller.uid);
  if (!affiliate.ok) return affiliate;
  const nowMs = affiliate.timestampMs;
  const tooFarBack = refuseTooFarBack(range.value, nowMs);
  if (tooFarBack !== null) return tooFarBack;
  const time = closeReportRange(range.value, WINDOW, nowMs);
  if (!time.ok) return time;
  const asset = await lookUpCoin(exchange, query.coin);
  if (!asset.ok) return asset;
  const page = readPage(query.page, query.pageSize);
  const question = {
    uid: caller.uid,
    withdrawalId: readIdFilter(query.withdrawID),
    asset: asset.value,
    time: pastMonth(time.value, nowMs),
    page,
  };
  const answer = await askPast(exchange, "internal-withdrawals", question, affiliate.sequence);
  return answer.ok ? accept({ ...answer.value, page }) : answer;
}

function pastMonth({ fromMs, toMs }: TimeRange, nowMs: number): TimeRange {
  return { fromMs: Math.max(fromMs ?? 0, nowMs - DAYS_BACK_MAX * DAY_MS), toMs };
}

/** Only what the caller sent can be too far back, never a default. */
function refuseTooFarBack({ fromMs, toMs }: TimeRange, nowMs: number): Refusal | null {
  const oldestMs = nowMs - DAYS_BACK_MAX * DAY_MS;
  const isTooOld = (timeMs: number | null) => timeMs !== null && timeMs < oldestMs;
  if (!isTooOld(fromMs) && !isTooOld(toMs)) return null;
  const field = isTooOld(fromMs) ? "startTime" : "endTime";
  return refuse("time-range-too-long", field, `at most ${DAYS_BACK_MAX} days ago`);
}

function toItem(row: InternalWithdrawal) {
  return {
    fromUserId: String(row.fromUid),
    toUserId: String(row.toUid),
    withdrawId: String(row.withdrawalId),
    coin: row.asset,
    status: "SUCCESS" as const,
    amount: row.amount,
    createTime: row.timeMs,
    updateTime: row.timeMs,
  };
}

export const v2InternalWithdrawalsEndpoint = endpoint(
  v2InternalWithdrawalsRoute,
  async ({ caller, query }, exchange) => {
    const found = await find(caller, query, exchange);
    if (!found.ok) return found;
    return accept({ total: found.value.total, list: found.value.rows.map(toItem) });
  },
);

export const v3InternalWithdrawalsEndpoint = endpoint(
  v3InternalWithdrawalsRoute,
  async ({ caller, query }, exchange) => {
    const found = await find(caller, query, exchange);
    if (!found.ok) return found;
    const { rows, total, page } = found.value;
    const pages = pagesOf(total, page);
    return accept({
      items: rows.map(toItem),
      total,
      pageSize: page.pageSize,
      page: page.page,
      pages,
      hasNextPage: page.page < pages,
    });
  },
);
