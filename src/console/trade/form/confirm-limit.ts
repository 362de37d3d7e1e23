/** The value above which market orders ask first, as the user set it. */
import { compare, isAmount, times } from "../../decimals/arithmetic.ts";
import type { FillOutlook } from "../book/fill-estimate.ts";
import type { Draft } from "./order-draft.ts";

const STORED = "rialto.confirm-above";
const FIRST_LIMIT = "5000";

/** In the quote asset; "0" asks always, empty never. */
export function storedConfirmLimit(): string {
  const stored = localStorage.getItem(STORED);
  return stored !== null && (stored === "" || isAmount(stored)) ? stored : FIRST_LIMIT;
}

export function storeConfirmLimit(limit: string): void {
  localStorage.setItem(STORED, limit);
}

/** A thin book asks as well, unless the user never wants to be asked. */
export function asksFirst(
  { kind, quantity }: Draft,
  price: string,
  fill: FillOutlook | null,
  limit: string,
): boolean {
  if (kind !== "MARKET" || limit === "") return false;
  return fill?.isThin === true || compare(times(quantity, price), limit) >= 0;
}
