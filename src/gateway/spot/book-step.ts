/** Levels of a book added up by steps of the price. */
import { formatDecimal, invariant, parseDecimal } from "../../domain/index.ts";

export type Level = readonly [price: string, quantity: string];

export interface PriceStep {
  /** In units of the price scale. */
  readonly width: bigint;
  readonly priceScale: number;
  readonly quantityScale: number;
}

/**
 * At most `limit` groups, best first as the levels are. A group is named by its end that is worse
 * for a taker: the lower one of bids, the upper one of asks.
 */
export function groupLevels(
  levels: readonly Level[],
  direction: "down" | "up",
  step: PriceStep,
  limit: number,
): [price: string, quantity: string][] {
  const groups: { edge: bigint; total: bigint }[] = [];
  for (const [price, quantity] of levels) {
    const edge = edgeOf(units(price, step.priceScale), step.width, direction);
    const total = units(quantity, step.quantityScale);
    const last = groups.at(-1);
    if (last?.edge === edge) last.total += total;
    else if (groups.length === limit) break;
    else groups.push({ edge, total });
  }
  return groups.map(({ edge, total }) => [
    formatDecimal(edge, step.priceScale),
    formatDecimal(total, step.quantityScale),
  ]);
}

function edgeOf(price: bigint, width: bigint, direction: "down" | "up"): bigint {
  const lower = price - (price % width);
  return direction === "down" || lower === price ? lower : lower + width;
}

function units(text: string, scale: number): bigint {
  const value = parseDecimal(text, scale);
  invariant(typeof value === "bigint", "the engine answers decimals of the market");
  return value;
}
