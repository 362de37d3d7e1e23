/** Which clock the axis of a chart has. */
import type { CandleInterval } from "../../../domain/index.ts";

export interface ChartTime {
  /** Added to UTC. */
  readonly shiftSeconds: number;
  /** Of the axis: "UTC" or "UTC+5:30". */
  readonly label: string;
  /** Hours and minutes matter. */
  readonly isWithinDay: boolean;
}

const DAYS_AND_LONGER: readonly CandleInterval[] = ["1d", "1w", "1M"];

/**
 * Candles within a day stand at the reader's time, with the offset of now for the whole axis, so
 * that no hour is there twice when clocks are changed. Days and longer begin and end in UTC.
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

/** The browser's language; English where it names one that dates cannot be written in. */
export function axisLocale(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? "en";
  } catch {
    return "en";
  }
}
