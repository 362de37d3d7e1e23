/** What closing a position at market would do, from the levels of the book. */
import type { Position } from "../../../client/index.ts";
import { compare, dividedDown, minus, plus, times } from "../../decimals/arithmetic.ts";

const PRICE_DECIMALS = 8;
const PERCENT_DECIMALS = 2;

type Level = readonly [price: string, quantity: string];

/** What a position's market order is matched against. */
export interface BookSides {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

export interface CloseEstimate {
  /** "0" if the book is empty on that side. */
  readonly averagePrice: string;
  /** Less than the quantity if the levels hold no more. */
  readonly filled: string;
  /** How much worse the average is than the mark price, in percent; negative if it is better. */
  readonly slippage: string;
  /** Before fees. */
  readonly profit: string;
}

type Held = Pick<Position, "side" | "size" | "openValue">;

export function estimateClose(
  position: Held,
  quantity: string,
  book: BookSides,
  mark: string,
): CloseEstimate {
  const isLong = position.side === "LONG";
  let [filled, value] = ["0", "0"];
  for (const [price, available] of isLong ? book.bids : book.asks) {
    const missing = minus(quantity, filled);
    const taken = compare(available, missing) < 0 ? available : missing;
    filled = plus(filled, taken);
    value = plus(value, times(taken, price));
    if (compare(filled, quantity) >= 0) break;
  }
  const averagePrice = dividedDown(value, filled, PRICE_DECIMALS);
  const profit = profitOfClosing(position, filled, value);
  if (compare(filled, "0") === 0) return { averagePrice, filled, slippage: "0", profit };
  const worse = isLong ? minus(mark, averagePrice) : minus(averagePrice, mark);
  const slippage = dividedDown(times(worse, "100"), mark, PERCENT_DECIMALS);
  return { averagePrice, filled, slippage, profit };
}

/** Of a part of the position for a value, before fees. */
export function profitOfClosing(
  { side, size, openValue }: Held,
  part: string,
  value: string,
): string {
  const opened = dividedDown(times(openValue, part), size, PRICE_DECIMALS);
  return side === "LONG" ? minus(value, opened) : minus(opened, value);
}

/** The mark price that the position's unrealised P&L is of. */
export function markOf(position: Held & Pick<Position, "unrealizePnl">): string {
  const { side, size, openValue, unrealizePnl } = position;
  const value = side === "LONG" ? plus(openValue, unrealizePnl) : minus(openValue, unrealizePnl);
  return dividedDown(value, size, PRICE_DECIMALS);
}
