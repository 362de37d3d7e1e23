/** Times as the reader's clock shows them; a formatter is made once, because it is expensive. */

const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
const TIME = new Intl.DateTimeFormat(undefined, CLOCK);
const DAY = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

/** "00:05:09" */
export function localTime(timeMs: number): string {
  return TIME.format(timeMs);
}

/** "Nov 26 00:05:09" */
export function localDayTime(timeMs: number): string {
  return `${DAY.format(timeMs)} ${TIME.format(timeMs)}`;
}
