/** UTC days as text, which sorts by time: the unit of statements and of daily figures. */

export const DAY_MS = 86_400_000;

/** `YYYY-MM-DD`. */
export function utcDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** The first millisecond of a day; null when there is no such day. */
export function utcDayStartMs(day: string): number | null {
  const startMs = Date.parse(`${day}T00:00:00.000Z`);
  return Number.isNaN(startMs) || utcDay(startMs) !== day ? null : startMs;
}
