/** The time range of a report when the caller leaves an end open: it never causes a refusal. */
import type { TimeRange } from "../../queries/history-port.ts";
import { DAY_MS } from "./utc-day.ts";

export interface ReportWindow {
  /** Without bounds. */
  readonly daysStandard: number;
  readonly daysMax: number;
}

/**
 * A start alone ends now, or where the longest range that begins there does; an end alone begins
 * one standard window before. A start that lies ahead begins a range without rows.
 */
export function closeReportRange(
  { fromMs, toMs }: TimeRange,
  { daysStandard, daysMax }: ReportWindow,
  nowMs: number,
): TimeRange {
  if (fromMs !== null) {
    const latestMs = Math.min(Math.max(nowMs, fromMs), fromMs + daysMax * DAY_MS);
    return { fromMs, toMs: toMs ?? latestMs };
  }
  const endMs = toMs ?? nowMs;
  return { fromMs: Math.max(0, endMs - daysStandard * DAY_MS), toMs: endMs };
}
