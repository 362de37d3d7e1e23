/** The user's fills by candle, and what is said of them. */
import { dividedDown, plus } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";

export interface OwnFill {
  readonly time: number;
  readonly isBuy: boolean;
  readonly quantity: string;
  readonly value: string;
}

interface Sum {
  readonly quantity: string;
  readonly value: string;
}

/** Of one candle. */
export interface CandleFills {
  readonly bought: Sum | null;
  readonly sold: Sum | null;
}

/** By opening time; `openTimes` ascend. Fills before the first candle are left out. */
export function fillsByCandle(
  fills: readonly OwnFill[],
  openTimes: readonly number[],
): ReadonlyMap<number, CandleFills> {
  const byCandle = new Map<number, CandleFills>();
  for (const { time, isBuy, quantity, value } of fills) {
    const openTime = openTimes[lastUpTo(openTimes, time)];
    if (openTime === undefined) continue;
    const before = byCandle.get(openTime) ?? { bought: null, sold: null };
    const side = isBuy ? "bought" : "sold";
    const { quantity: had, value: worth } = before[side] ?? { quantity: "0", value: "0" };
    const sum = { quantity: plus(had, quantity), value: plus(worth, value) };
    byCandle.set(openTime, { ...before, [side]: sum });
  }
  return byCandle;
}

/** The place of the last that is not above; -1 if all are. */
function lastUpTo(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** "Bought 0.5 at 80,123.4 · Sold 0.2 at 80,200.0", with average prices. */
export function fillsText({ bought, sold }: CandleFills, priceDecimals: number): string {
  const part = (word: string, { quantity, value }: Sum): string => {
    const average = dividedDown(value, quantity, priceDecimals);
    return `${word} ${groupDecimal(quantity)} at ${groupDecimal(average, priceDecimals)}`;
  };
  const parts = [
    ...(bought === null ? [] : [part("Bought", bought)]),
    ...(sold === null ? [] : [part("Sold", sold)]),
  ];
  return parts.join(" · ");
}
