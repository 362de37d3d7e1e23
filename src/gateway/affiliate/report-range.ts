/** The time range of a report when the caller leaves an end open. */
import { type Refusal, refuse } from "../../api/errors.ts";
import { type Accepted, accept } from "../../domain/index.ts";
import type { TimeRange } from "../../queries/history-port.ts";
import { DAY_MS } from "./utc-day.ts";

export interface ReportWindow {
  /** Without bounds. */
  readonly daysStandard: number;
  readonly daysMax: number;
}

/**
 * A start alone ends now, and is refused when that is too long; an end alone begins one standard
 * window before. A start that lies ahead begins a range without rows.
 */
export function closeReportRange(
  { fromMs, toMs }: TimeRange,
  { daysStandard, daysMax }: ReportWindow,
  nowMs: number,
): Accepted<TimeRange> | Refusal {
  if (fromMs === null) {
    const endMs = toMs ?? nowMs;
    return accept({ fromMs: Math.max(0, endMs - daysStandard * DAY_MS), toMs: endMs });
  }
  const endMs = toMs ?? Math.max(nowMs, fromMs);
  if (endMs - fromMs <= daysMax * DAY_MS) return accept({ fromMs, toMs: endMs });
  const detail = `more than ${daysMax} days until now: send endTime too`;
  return refuse("time-range-too-long", "startTime", detail);
}
