/** UTC days and times as text. */

const DAY_MS = 86_400_000;
const TIME = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?(?: ?UTC|Z)?$/;

/** "2026-11-22" */
export function utcDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

export function dayStartMs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

export function dayEndMs(day: string): number {
  return dayStartMs(day) + DAY_MS - 1;
}

/** The `count` days up to `last`, oldest first. */
export function daysUntil(last: string, count: number): readonly string[] {
  const lastMs = dayStartMs(last);
  return Array.from({ length: count }, (_, i) => utcDay(lastMs - (count - 1 - i) * DAY_MS));
}

/** "2026-11-22 06:31:07 UTC" */
export function utcTime(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** The moment of a text as `utcTime` writes it; seconds, minutes and "UTC" may be left out. */
export function parseUtcTime(text: string): number | null {
  const [, day, hour = "00", minute = "00", second = "00"] = TIME.exec(text.trim()) ?? [];
  if (day === undefined) return null;
  const timeMs = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  // A day that its month does not have becomes another one.
  return Number.isNaN(timeMs) || utcDay(timeMs) !== day ? null : timeMs;
}

/** The time range of the `count` days up to `last`. */
export function rangeOf(last: string, count: number): { startTime: number; endTime: number } {
  const [first = last] = daysUntil(last, count);
  return { startTime: dayStartMs(first), endTime: dayEndMs(last) };
}
