/**
 * Order book rows: levels grouped by a price step, with running totals from the best price. Exact
 * integers in the market's decimals, never floats.
 */
import { formatDecimal, invariant, parseDecimal, powerOfTen } from "../../../domain/index.ts";

export type Side = "bids" | "asks";
/** Price and quantity, as streamed. */
export type Level = readonly [price: string, quantity: string];

export interface BookScale {
  readonly priceDecimals: number;
  readonly quantityDecimals: number;
}

export interface GroupedLevel {
  /** In units of the market's decimals, like the next two. */
  readonly price: bigint;
  readonly quantity: bigint;
  /** This quantity plus all better ones. */
  readonly total: bigint;
}

export interface Grouping extends BookScale {
  /** Decimal text of a multiple of the tick. */
  readonly step: string;
  /** Rows that fit. */
  readonly rowsMax: number;
  /** There are more levels than given, so the last group may be incomplete. */
  readonly isCut: boolean;
}

/**
 * The best rows of a side. A group is priced no better than any of its levels: bids round down to
 * the step, asks up.
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

/** The group that contains a price. */
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
/** Larger steps than this share of the price would squeeze the book into a few rows. */
const STEP_PART_OF_PRICE = 50n;

/** The tick times 1, 10, 100 …, while useful at that price ("0": unknown). */
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
  /** Fraction of the best ask, cut after six decimals. */
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
