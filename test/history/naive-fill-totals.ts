/** Fees, profit and prices of the first fills of an order: part of the naive model of history. */
import type { OrderFillTotals } from "../../src/queries/index.ts";
import { exact, sum, text } from "../support/exact.ts";

interface Fill {
  readonly price: string;
  readonly quantity: string;
  readonly fee: string;
  readonly realizedPnl: string;
}

/** `fills` are oldest first. None when they do not make up the quantity. */
export function naiveFillTotals(
  orderId: number,
  fills: readonly Fill[],
  filledQuantity: string,
): OrderFillTotals[] {
  const reaches = (count: number): boolean =>
    sum(fills.slice(0, count).map(({ quantity }) => exact(quantity))) >= exact(filledQuantity);
  const count = fills.findIndex((_, i) => reaches(i + 1)) + 1;
  if (count === 0) return [];
  const counted = fills.slice(0, count);
  const prices = counted.map(({ price }) => exact(price)).sort((a, b) => (a < b ? -1 : 1));
  return [
    {
      orderId,
      fee: text(sum(counted.map(({ fee }) => exact(fee)))),
      realizedPnl: text(sum(counted.map(({ realizedPnl }) => exact(realizedPnl)))),
      last: counted.at(-1)?.price ?? "",
      highest: text(prices.at(-1) ?? 0n),
      lowest: text(prices[0] ?? 0n),
    },
  ];
}

/** Oldest first: so many rows, and the other one of the last match. */
export function wholeMatches<Row extends { readonly tradeId: number }>(
  fills: readonly Row[],
  limit: number,
): readonly Row[] {
  const last = fills[limit - 1];
  return fills.filter((fill, i) => i < limit || fill.tradeId === last?.tradeId);
}
