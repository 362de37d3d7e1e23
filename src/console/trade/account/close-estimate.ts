/** What closing a position at market would do, from the levels of the book. */
import type { Position } from "../../../client/index.ts";
import { compare, dividedDown, minus, times } from "../../decimals/arithmetic.ts";
import {
  type BookSides,
  estimateFill,
  type FillEstimate,
  slippageOf,
} from "../book/fill-estimate.ts";
import { markValueOf } from "../margin.ts";

const PRICE_DECIMALS = 8;

export interface CloseEstimate extends Pick<FillEstimate, "averagePrice" | "filled"> {
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
  const fill = estimateFill(isLong ? book.bids : book.asks, quantity);
  const { averagePrice, filled, value } = fill;
  const profit = profitOfClosing(position, filled, value);
  if (compare(filled, "0") === 0) return { averagePrice, filled, slippage: "0", profit };
  const slippage = slippageOf(isLong ? "SELL" : "BUY", averagePrice, mark);
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
  return dividedDown(markValueOf(position), position.size, PRICE_DECIMALS);
}
