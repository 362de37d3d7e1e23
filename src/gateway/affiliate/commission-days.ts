/** GET commissionDays: what the caller earned on each UTC day, by product and coin. */
import { v2CommissionDaysRoute, v3CommissionDaysRoute } from "../../api/affiliate/overview.ts";
import { type Refusal, refuse } from "../../api/errors.ts";
import type { AnswerOf, QueryOf } from "../../api/route.ts";
import { type Accepted, accept } from "../../domain/index.ts";
import { type EndpointRequest, type Exchange, endpoint, type Outcome } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { askCallingAffiliate } from "./calling-affiliate.ts";
import { productTypeOf } from "./parameters.ts";
import { DAY_MS, dayOf, readDay } from "./utc-day.ts";

const DAYS_STANDARD = 90;
const DAYS_MAX = 92;
/** Two megabytes: as much as one answer should have. */
const ROWS_MAX = 20_000;

type Query = QueryOf<typeof v2CommissionDaysRoute>;

/** Where the days begin; null where the caller did not say. */
interface AskedDays {
  readonly from: number | null;
  readonly to: number | null;
}

async function days(
  { caller, query }: EndpointRequest<Query, unknown>,
  exchange: Exchange,
): Promise<Outcome<AnswerOf<typeof v2CommissionDaysRoute>>> {
  const asked = readDays(query);
  if (!asked.ok) return asked;
  const affiliate = await askCallingAffiliate(exchange, caller.uid);
  if (!affiliate.ok) return affiliate;
  const [fromDay, toDay] = closeDays(asked.value, affiliate.timestampMs);
  const question = { affiliateUid: caller.uid, fromDay, toDay, limit: ROWS_MAX + 1 };
  const answer = await askPast(exchange, "commission-days", question, affiliate.sequence);
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
}

function readDays(query: Query): Accepted<AskedDays> | Refusal {
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

function readEnd(text: string | undefined, field: string): Accepted<number | null> | Refusal {
  return text === undefined ? accept(null) : readDay(text, field);
}

/** A first day alone ends today, or where the longest range that begins there does. */
function closeDays({ from, to }: AskedDays, nowMs: number): [fromDay: string, toDay: string] {
  if (from === null) {
    const end = to ?? nowMs;
    return [dayOf(Math.max(0, end - (DAYS_STANDARD - 1) * DAY_MS)), dayOf(end)];
  }
  return [dayOf(from), dayOf(to ?? Math.min(nowMs, from + (DAYS_MAX - 1) * DAY_MS))];
}

export const v2CommissionDaysEndpoint = endpoint(v2CommissionDaysRoute, days);
export const v3CommissionDaysEndpoint = endpoint(v3CommissionDaysRoute, days);
