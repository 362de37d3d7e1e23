/** The time zone of the chart axis. */
import type { CandleInterval } from "../../../domain/index.ts";

export interface ChartTime {
  /** Offset from UTC. */
  readonly shiftSeconds: number;
  /** "UTC" or "UTC+5:30". */
  readonly label: string;
  /** Hours and minutes matter. */
  readonly isWithinDay: boolean;
}

const DAYS_AND_LONGER: readonly CandleInterval[] = ["1d", "1w", "1M"];

/**
 * Intraday candles use local time with the current offset for the whole axis, so that no hour
 * repeats when clocks change. Daily and longer candles use UTC.
 */
export function chartTime(interval: CandleInterval, offsetMinutes: number): ChartTime {
  if (DAYS_AND_LONGER.includes(interval)) {
    return { shiftSeconds: 0, label: "UTC", isWithinDay: false };
  }
  return { shiftSeconds: offsetMinutes * 60, label: offsetLabel(offsetMinutes), isWithinDay: true };
}

function offsetLabel(offsetMinutes: number): string {
  if (offsetMinutes === 0) return "UTC";
  const [hours, minutes] = [Math.trunc(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60];
  const part = minutes === 0 ? "" : `:${String(minutes).padStart(2, "0")}`;
  return `UTC${offsetMinutes < 0 ? "−" : "+"}${hours}${part}`;
}

/** The browser's language, or English if dates cannot be formatted in it. */
export function axisLocale(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? "en";
  } catch {
    return "en";
  }
}
