/** Time ranges of lists of the past, which may not be longer than the list allows. */
import { type Refusal, refuse } from "../../api/errors.ts";
import { type Accepted, accept } from "../../domain/index.ts";
import type { TimeRange } from "../../queries/history-port.ts";
import { readTimeRange } from "../parameters.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Both ends are inclusive. Exactly `daysMax` between them is allowed, also when the end lies ahead;
 * an absent end is open, however long that makes the range.
 */
export function readPastRange(
  query: { readonly startTime?: number; readonly endTime?: number },
  daysMax: number,
): Accepted<TimeRange> | Refusal {
  const range = readTimeRange(query.startTime, query.endTime, ["startTime", "endTime"]);
  if (!range.ok) return range;
  const { fromMs, toMs } = range.value;
  if (fromMs !== null && toMs !== null && toMs - fromMs > daysMax * DAY_MS) {
    return refuse("time-range-too-long", "endTime", `at most ${daysMax} days after startTime`);
  }
  return accept(range.value);
}

/** For rows that the engine answers itself. */
export function isInside(timeMs: number, { fromMs, toMs }: TimeRange): boolean {
  return (fromMs === null || timeMs >= fromMs) && (toMs === null || timeMs <= toMs);
}
