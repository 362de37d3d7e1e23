/** What affiliate calls share: who calls, ranges and days, products, uids, coins and pages. */
import { type Refusal, refuse } from "../../api/errors.ts";
import { accept, type Product } from "../../domain/index.ts";
import type { AffiliateView, Seen, Unavailable } from "../../protocol/index.ts";
import type { Commission, Page, TimeRange } from "../../queries/history-port.ts";
import type { Exchange, Outcome } from "../endpoint.ts";
import { DAY_MS, type Read, readPastRange, type SentTimeRange } from "../parameters.ts";

/** With the sequence that a report must have reached, and its exchange time. */
type CallingAffiliate = Seen<AffiliateView>;

/** Only affiliates may call. */
export async function queryCallingAffiliate(
  { engine }: Exchange,
  uid: number,
): Promise<CallingAffiliate | Refusal | (Unavailable & { readonly ok: false })> {
  const reply = await engine.query<"affiliate">({ type: "affiliate", uid });
  // The uid belongs to the key: there is no field that the caller could correct.
  return reply.ok || "unavailable" in reply ? reply : refuse(reply.reason);
}

export interface ReportWindow {
  /** Without bounds. */
  readonly daysDefault: number;
  readonly daysMax: number;
}

/** Both ends of a report's range, and the sequence that its rows must have reached. */
export async function openReport(
  exchange: Exchange,
  uid: number,
  sent: SentTimeRange,
  window: ReportWindow,
): Promise<Outcome<{ readonly time: TimeRange; readonly sequence: number }>> {
  const range = readPastRange(sent, window.daysMax);
  if (!range.ok) return range;
  const affiliate = await queryCallingAffiliate(exchange, uid);
  if (!affiliate.ok) return affiliate;
  const { sequence, timestampMs } = affiliate;
  const time = closeReportRange(range.value, window, timestampMs);
  return time.ok ? accept({ time: time.value, sequence }) : time;
}

/**
 * A start alone ends now, and is refused when that is too long; an end alone begins one default
 * window before. A start in the future begins a range without rows.
 */
export function closeReportRange(
  { fromMs, toMs }: TimeRange,
  { daysDefault, daysMax }: ReportWindow,
  nowMs: number,
): Read<TimeRange> {
  if (fromMs === null) {
    const endMs = toMs ?? nowMs;
    return accept({ fromMs: Math.max(0, endMs - daysDefault * DAY_MS), toMs: endMs });
  }
  const endMs = toMs ?? Math.max(nowMs, fromMs);
  if (endMs - fromMs <= daysMax * DAY_MS) return accept({ fromMs, toMs: endMs });
  const detail = `more than ${daysMax} days until now: send endTime too`;
  return refuse("time-range-too-long", "startTime", detail);
}

export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** Its first millisecond. The schema checks the form, which leaves dates such as 31 February. */
export function readDay(text: string, field: string): Read<number> {
  const startMs = Date.parse(`${text}T00:00:00Z`);
  const isDay = !Number.isNaN(startMs) && dayOf(startMs) === text;
  return isDay ? accept(startMs) : refuse("invalid-parameter", field, "a day of the calendar");
}

/** No user has it. */
const NOBODY = 0;

export const PRODUCTS_BY_TYPE = { SPOT: "spot", FUTURES: "contract" } as const;

const TYPES_BY_PRODUCT: Readonly<Record<Product, keyof typeof PRODUCTS_BY_TYPE>> = {
  spot: "SPOT",
  contract: "FUTURES",
};

export function productTypeOf(product: Product): keyof typeof PRODUCTS_BY_TYPE {
  return TYPES_BY_PRODUCT[product];
}

/** An id beyond 2^53 was never issued here: it belongs to no user. */
export function readId(sent: string | number): number {
  const id = Number(sent);
  return Number.isSafeInteger(id) ? id : NOBODY;
}

/** Null for no filter. */
export function readIdFilter(sent: string | number | undefined): number | null {
  return sent === undefined ? null : readId(sent);
}

export function pagesOf(total: number, { pageSize }: Page): number {
  return Math.ceil(total / pageSize);
}

/** The coin to filter by, null for none; one that is not listed is refused. */
export async function lookUpCoin(
  { engine }: Exchange,
  coin: string | undefined,
): Promise<Outcome<string | null>> {
  if (coin === undefined) return accept(null);
  const assets = await engine.query<"assets">({ type: "assets" });
  if (!assets.ok) return assets;
  const isListed = assets.value.some(({ asset }) => asset === coin);
  return isListed ? accept(coin) : refuse("unknown-asset", "coin");
}

/** 1 for a direct invitee, 2 for one of a sub-affiliate. */
export function sourceTypeOf({ viaUid }: Pick<Commission, "viaUid">): number {
  return viaUid === null ? 1 : 2;
}
