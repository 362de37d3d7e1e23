/** What a market order would be filled at, from the levels of the book. */
import type { RialtoClient } from "../../../client/index.ts";
import { compare, dividedDown, minus, plus, times } from "../../decimals/arithmetic.ts";
import type { Product } from "../market-rules.ts";

const PRICE_DECIMALS = 8;
const PERCENT_DECIMALS = 2;
const DEPTH = 200;

export type Level = readonly [price: string, quantity: string];

/** What market orders are matched against. */
export interface BookSides {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

export function fetchBook(
  client: RialtoClient,
  product: Product,
  symbol: string,
  signal: AbortSignal,
): Promise<BookSides> {
  return client[product].depth({ symbol, limit: DEPTH }, { signal }) as Promise<BookSides>;
}

export interface FillEstimate {
  /** "0" if the book is empty on that side. */
  readonly averagePrice: string;
  /** Less than the quantity if the levels hold no more. */
  readonly filled: string;
  readonly value: string;
}

export function estimateFill(levels: readonly Level[], quantity: string): FillEstimate {
  let [filled, value] = ["0", "0"];
  for (const [price, available] of levels) {
    const missing = minus(quantity, filled);
    const taken = compare(available, missing) < 0 ? available : missing;
    filled = plus(filled, taken);
    value = plus(value, times(taken, price));
    if (compare(filled, quantity) >= 0) break;
  }
  return { averagePrice: dividedDown(value, filled, PRICE_DECIMALS), filled, value };
}

/** How much worse a price is than another for the side, in percent; negative if it is better. */
export function slippageOf(side: "BUY" | "SELL", price: string, reference: string): string {
  const worse = side === "SELL" ? minus(reference, price) : minus(price, reference);
  return dividedDown(times(worse, "100"), reference, PERCENT_DECIMALS);
}

export const SLIPPAGE_WARN_PERCENT = "1";

export interface FillOutlook extends FillEstimate {
  /** Against the best price, in percent. */
  readonly slippage: string;
  /** Far from the best price, or more than the book holds. */
  readonly isThin: boolean;
}

/** Of a market order. */
export function outlookOf(book: BookSides, side: "BUY" | "SELL", quantity: string): FillOutlook {
  const levels = side === "BUY" ? book.asks : book.bids;
  const estimate = estimateFill(levels, quantity);
  const best = levels[0]?.[0] ?? "0";
  const slippage = slippageOf(side, estimate.averagePrice, best);
  const isThin =
    compare(estimate.filled, quantity) < 0 || compare(slippage, SLIPPAGE_WARN_PERCENT) >= 0;
  return { ...estimate, slippage, isThin };
}
