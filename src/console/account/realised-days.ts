/** The contract wallet's changes by UTC day: realised P&L, fees and funding. */
import type { Answer } from "../../client/index.ts";
import { daysUntil, utcDay } from "../data/utc.ts";
import { minus, plus } from "../decimals/arithmetic.ts";

export interface RealisedDay {
  readonly date: string;
  /** Before fees. */
  readonly realised: string;
  /** Negative if paid. */
  readonly fees: string;
  /** Negative if paid. */
  readonly funding: string;
}

export type Income = Answer<"contract-income">["items"][number];
type IncomeRow = Pick<Income, "income" | "incomeType" | "fillFee" | "time" | "asset">;

/** Oldest first, a row for every one of the `count` days up to `last`. */
export function realisedDays(
  rows: readonly IncomeRow[],
  asset: string,
  last: string,
  count: number,
): readonly RealisedDay[] {
  const days = new Map<string, RealisedDay>(
    daysUntil(last, count).map((date) => [date, { date, realised: "0", fees: "0", funding: "0" }]),
  );
  for (const row of rows) {
    const date = utcDay(row.time);
    const day = days.get(date);
    if (day !== undefined && row.asset === asset) days.set(date, withRow(day, row));
  }
  return [...days.values()];
}

/** The income of a fill includes its fee, which is listed as a positive amount. */
function withRow(day: RealisedDay, { income, incomeType, fillFee }: IncomeRow): RealisedDay {
  if (incomeType === "position_funding") return { ...day, funding: plus(day.funding, income) };
  if (!incomeType.startsWith("position_")) return day;
  return {
    ...day,
    realised: plus(day.realised, plus(income, fillFee)),
    fees: minus(day.fees, fillFee),
  };
}
