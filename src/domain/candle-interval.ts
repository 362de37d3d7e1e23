/** Candle intervals and their UTC boundaries: weeks begin on Monday, months on the first. */

export const CANDLE_INTERVALS = [
  "1m",
  "5m",
  "15m",
  "30m",
  "1h",
  "2h",
  "4h",
  "6h",
  "8h",
  "12h",
  "1d",
  "1w",
  "1M",
] as const;
export type CandleInterval = (typeof CANDLE_INTERVALS)[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** 1 January 1970 was a Thursday, so the first Monday is four days after the epoch. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

const FIXED_LENGTH_MS: Readonly<Record<Exclude<CandleInterval, "1M">, number>> = {
  "1m": MINUTE_MS,
  "5m": 5 * MINUTE_MS,
  "15m": 15 * MINUTE_MS,
  "30m": 30 * MINUTE_MS,
  "1h": HOUR_MS,
  "2h": 2 * HOUR_MS,
  "4h": 4 * HOUR_MS,
  "6h": 6 * HOUR_MS,
  "8h": 8 * HOUR_MS,
  "12h": 12 * HOUR_MS,
  "1d": DAY_MS,
  "1w": WEEK_MS,
};

/** Start of the interval that is `offset` intervals after the one containing `timeMs`. */
export function candleOpenMs(interval: CandleInterval, timeMs: number, offset = 0): number {
  if (interval === "1M") return monthOpenMs(monthOf(timeMs) + offset);
  const length = FIXED_LENGTH_MS[interval];
  const anchor = interval === "1w" ? FIRST_MONDAY_MS : 0;
  return anchor + (Math.floor((timeMs - anchor) / length) + offset) * length;
}

/** How many intervals apart two times are; negative when `toMs` is earlier. */
export function candlesBetween(interval: CandleInterval, fromMs: number, toMs: number): number {
  if (interval === "1M") return monthOf(toMs) - monthOf(fromMs);
  const difference = candleOpenMs(interval, toMs) - candleOpenMs(interval, fromMs);
  return difference / FIXED_LENGTH_MS[interval];
}

/*
 * The two functions below are the civil calendar of H. Hinnant, "chrono-compatible low-level date
 * algorithms": years begin in March, so that the leap day is the last of a year, and 400 years are
 * 146,097 days. 719,468 days lie between 1 March of year 0 and the epoch.
 */

/** Months since year 0 of the month containing a time. */
function monthOf(timeMs: number): number {
  const days = Math.floor(timeMs / DAY_MS) + 719_468;
  const era = Math.floor(days / 146_097);
  const dayOfEra = days - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  return (era * 400 + yearOfEra) * 12 + monthFromMarch + 2;
}

function monthOpenMs(month: number): number {
  const monthsFromMarch = month - 2;
  const year = Math.floor(monthsFromMarch / 12);
  const dayOfYear = Math.floor((153 * (monthsFromMarch - year * 12) + 2) / 5);
  const days = 365 * year + Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400);
  return (days + dayOfYear - 719_468) * DAY_MS;
}
