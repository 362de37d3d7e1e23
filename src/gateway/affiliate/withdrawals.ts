/** Internal withdrawals: an affiliate pays somebody below, and the payments of the past month. */
import {
  v2InternalWithdrawalRoute,
  v2InternalWithdrawalsRoute,
  v3InternalWithdrawalRoute,
  v3InternalWithdrawalsRoute,
} from "../../api/affiliate/withdrawals.ts";
import { type Refusal, refuse } from "../../api/errors.ts";
import { accept, parseDecimal } from "../../domain/index.ts";
import type { InternalWithdrawal, Page, Paged, TimeRange } from "../../queries/history-port.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import {
  type Caller,
  type Endpoint,
  type Exchange,
  endpoint,
  type Handler,
  type Outcome,
  type QueryInput,
} from "../endpoint.ts";
import { queryHistory } from "../history.ts";
import { DAY_MS, readStartAndEnd } from "../parameters.ts";
import { withWireNames } from "../wire-names.ts";
import {
  closeReportRange,
  lookUpCoin,
  pagesOf,
  queryCallingAffiliate,
  readId,
  readIdFilter,
} from "./parameters.ts";

const DECIMALS_MAX = 6;
const WIRE_NAMES = {
  toUid: "toUserId",
  asset: "coin",
  requestId: "clientWithdrawalId",
};

const withdraw: Handler<typeof v2InternalWithdrawalRoute> = async (request, { engine }) => {
  const { caller, body } = request;
  const { coin, amount } = body;
  if (parseDecimal(amount, DECIMALS_MAX) === "excess-precision") {
    return refuse("excess-precision", "amount", `at most ${DECIMALS_MAX} decimals`);
  }
  const reply = await engine.execute<"withdraw-internally">({
    type: "withdraw-internally",
    uid: caller.uid,
    toUid: readId(body.toUserId),
    asset: coin,
    amount,
    requestId: body.clientWithdrawalId ?? requestIdOf(request),
  });
  if (reply.ok) return accept({ id: String(reply.value.withdrawalId) });
  if ("unavailable" in reply) return reply;
  return reply.reason === "not-an-affiliate"
    ? refuse("not-an-affiliate")
    : withWireNames(reply, WIRE_NAMES);
};

export const v2InternalWithdrawal = endpoint(v2InternalWithdrawalRoute, withdraw);
export const v3InternalWithdrawal = endpoint(v3InternalWithdrawalRoute, withdraw);

/** As long as the longest month. */
const DAYS_BACK_MAX = 31;
const WINDOW = { daysDefault: DAYS_BACK_MAX, daysMax: DAYS_BACK_MAX };

interface Found extends Paged<InternalWithdrawal> {
  readonly page: Page;
}

async function find(
  caller: Caller,
  query: QueryInput<typeof v2InternalWithdrawalsRoute>,
  exchange: Exchange,
): Promise<Outcome<Found>> {
  const range = readStartAndEnd(query);
  if (!range.ok) return range;
  const affiliate = await queryCallingAffiliate(exchange, caller.uid);
  if (!affiliate.ok) return affiliate;
  const nowMs = affiliate.timestampMs;
  const tooFarBack = refuseTooFarBack(range.value, nowMs);
  if (tooFarBack !== null) return tooFarBack;
  const time = closeReportRange(range.value, WINDOW, nowMs);
  if (!time.ok) return time;
  const asset = await lookUpCoin(exchange, query.coin);
  if (!asset.ok) return asset;
  const page = { page: query.page, pageSize: query.pageSize };
  const question = {
    uid: caller.uid,
    withdrawalId: readIdFilter(query.withdrawID),
    asset: asset.value,
    time: pastMonth(time.value, nowMs),
    page,
  };
  const answer = await queryHistory(exchange, "internal-withdrawals", question, affiliate.sequence);
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

export const v2InternalWithdrawals = endpoint(
  v2InternalWithdrawalsRoute,
  async ({ caller, query }, exchange) => {
    const found = await find(caller, query, exchange);
    if (!found.ok) return found;
    return accept({ total: found.value.total, list: found.value.rows.map(toItem) });
  },
);

export const v3InternalWithdrawals = endpoint(
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

export const WITHDRAWAL_ENDPOINTS: readonly Endpoint[] = [
  v2InternalWithdrawal,
  v3InternalWithdrawal,
  v2InternalWithdrawals,
  v3InternalWithdrawals,
];
