/** The time zone of the chart axis. */
import type { CandleInterval } from "../../../domain/index.ts";

export interface ChartTime {
  /** As the chart and `Intl` name it. */
  readonly timeZone: string;
  /** "UTC" or "UTC+5:30". */
  readonly label: string;
}

const DAYS_AND_LONGER: readonly CandleInterval[] = ["1d", "1w", "1M"];

/** Intraday candles use local time, daily and longer ones UTC, in which their days are. */
export function chartTime(
  interval: CandleInterval,
  local: { readonly timeZone: string; readonly offsetMinutes: number },
): ChartTime {
  if (DAYS_AND_LONGER.includes(interval)) return { timeZone: "UTC", label: "UTC" };
  return { timeZone: local.timeZone, label: offsetLabel(local.offsetMinutes) };
}

function offsetLabel(offsetMinutes: number): string {
  if (offsetMinutes === 0) return "UTC";
  const [hours, minutes] = [Math.trunc(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60];
  const part = minutes === 0 ? "" : `:${String(minutes).padStart(2, "0")}`;
  return `UTC${offsetMinutes < 0 ? "−" : "+"}${hours}${part}`;
}
