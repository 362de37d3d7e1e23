/** Sums of `commissionDays`: exact for cards and tables, floats for the chart's pixels only. */
import type { CommissionDay } from "../../../client/index.ts";
import { dayStartMs, daysUntil } from "../../data/utc.ts";
import { plus } from "../../decimals/arithmetic.ts";

export interface DaySums {
  readonly commissions: number;
  /** Decimal text. */
  readonly commissionUsdt: string;
  readonly volumeUsdt: string;
}

export function sumOf(days: readonly CommissionDay[]): DaySums {
  let commissions = 0;
  let commissionUsdt = "0";
  let volumeUsdt = "0";
  for (const day of days) {
    commissions += day.commissions;
    commissionUsdt = plus(commissionUsdt, day.commissionUsdt);
    volumeUsdt = plus(volumeUsdt, day.volumeUsdt);
  }
  return { commissions, commissionUsdt, volumeUsdt };
}

/** Sums the `count` days up to `last`. */
export function sumOfLast(days: readonly CommissionDay[], last: string, count: number): DaySums {
  const [first = last] = daysUntil(last, count);
  return sumOf(days.filter(({ date }) => date >= first && date <= last));
}

export interface DayOfChart extends DaySums {
  readonly date: string;
}

/** Every day of the range, oldest first, with zeros for days without commissions. */
export function daysOfChart(
  days: readonly CommissionDay[],
  last: string,
  count: number,
): readonly DayOfChart[] {
  const byDate = Map.groupBy(days, ({ date }) => date);
  return daysUntil(last, count).map((date) => ({ date, ...sumOf(byDate.get(date) ?? []) }));
}

/** As the chart expects them. */
export type ChartColumns = [seconds: number[], commissions: number[], volumes: number[]];

export function chartColumns(days: readonly DayOfChart[]): ChartColumns {
  return [
    days.map(({ date }) => dayStartMs(date) / 1000),
    days.map(({ commissionUsdt }) => Number(commissionUsdt)),
    days.map(({ volumeUsdt }) => Number(volumeUsdt)),
  ];
}
