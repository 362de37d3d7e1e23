/**
 * Rows of an order book as they are shown: levels put together by a price step, with sums from the
 * best price on. Exact: whole numbers of the market's decimals, never a float.
 */
import { formatDecimal, invariant, parseDecimal, powerOfTen } from "../../../domain/index.ts";

export type Side = "bids" | "asks";
/** Price and quantity, as the stream has them. */
export type Level = readonly [price: string, quantity: string];

export interface BookScale {
  readonly priceDecimals: number;
  readonly quantityDecimals: number;
}

export interface GroupedLevel {
  /** In units of the market's decimals, as the next two. */
  readonly price: bigint;
  readonly quantity: bigint;
  /** This quantity and all better ones. */
  readonly total: bigint;
}

export interface Grouping extends BookScale {
  /** Decimal text of a multiple of the tick. */
  readonly step: string;
  /** Rows that there is space for. */
  readonly rowsMax: number;
  /** The side goes on behind its last level, so that the last group may be a part alone. */
  readonly isCut: boolean;
}

/**
 * The best rows of a side. A group stands at the price that is not better than any of its levels:
 * bids are cut down to the step, asks up.
 */
export function groupLevels(
  levels: readonly Level[],
  side: Side,
  { priceDecimals, quantityDecimals, step, rowsMax, isCut }: Grouping,
): GroupedLevel[] {
  const stepUnits = unitsOf(step, priceDecimals);
  const rows: GroupedLevel[] = [];
  let total = 0n;
  let quantity = 0n;
  let price: bigint | null = null;
  const finish = (): void => {
    if (price !== null) rows.push({ price, quantity, total });
  };
  for (const [priceText, quantityText] of levels) {
    const group = groupOf(unitsOf(priceText, priceDecimals), stepUnits, side);
    if (group !== price) {
      finish();
      if (rows.length === rowsMax) return rows;
      price = group;
      quantity = 0n;
    }
    const units = unitsOf(quantityText, quantityDecimals);
    quantity += units;
    total += units;
  }
  if (!isCut || rows.length === 0) finish();
  return rows;
}

/** The row of a side in which a price stands. */
export function groupPrice(price: string, side: Side, step: string, priceDecimals: number): bigint {
  return groupOf(unitsOf(price, priceDecimals), unitsOf(step, priceDecimals), side);
}

function groupOf(price: bigint, step: bigint, side: Side): bigint {
  const down = price - (price % step);
  return side === "bids" || down === price ? down : down + step;
}

export function unitsOf(text: string, decimals: number): bigint {
  const units = parseDecimal(text, decimals);
  invariant(typeof units === "bigint", "amounts of a market have its decimals at most");
  return units;
}

const STEPS_MAX = 5;
/** A step beyond this part of the price puts a whole book into a few rows. */
const STEP_PART_OF_PRICE = 50n;

/** The tick times 1, 10, 100 …, as far as it makes sense at that price ("0": not known). */
export function groupSteps(tickSize: string, priceDecimals: number, price: string): string[] {
  const tick = unitsOf(tickSize, priceDecimals);
  const priceUnits = unitsOf(price, priceDecimals);
  const steps: string[] = [];
  for (let exponent = 0; exponent < STEPS_MAX; exponent++) {
    const step = tick * powerOfTen(exponent);
    if (exponent > 0 && step * STEP_PART_OF_PRICE > priceUnits) break;
    steps.push(formatDecimal(step, priceDecimals));
  }
  return steps;
}

export interface Spread {
  readonly amount: string;
  /** Of the best ask, as a fraction with six decimals, cut. */
  readonly fraction: string;
}

/** Null while a side is empty. */
export function spreadOf(
  bestBid: string | undefined,
  bestAsk: string | undefined,
  priceDecimals: number,
): Spread | null {
  if (bestBid === undefined || bestAsk === undefined) return null;
  const ask = unitsOf(bestAsk, priceDecimals);
  const spread = ask - unitsOf(bestBid, priceDecimals);
  const fraction = (spread * powerOfTen(FRACTION_DECIMALS)) / ask;
  return {
    amount: formatDecimal(spread, priceDecimals),
    fraction: formatDecimal(fraction, FRACTION_DECIMALS),
  };
}

const FRACTION_DECIMALS = 6;
