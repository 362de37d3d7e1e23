/** The book that the market order in the form would be matched against, of the last second. */
import { useQuery } from "../../data/query.ts";
import { compare, isAmount } from "../../decimals/arithmetic.ts";
import { useSession } from "../../session/session.tsx";
import { type BookSides, type FillOutlook, fetchBook, outlookOf } from "../book/fill-estimate.ts";
import { useMarket } from "../market.tsx";
import type { Draft } from "./order-draft.ts";

const BOOK_INTERVAL_MS = 1_000;

/** Null unless it is a market order. */
export function useMarketBook(kind: Draft["kind"]): BookSides | null {
  const { client } = useSession();
  const { product, symbol } = useMarket().rules;
  const { answer } = useQuery(
    kind === "MARKET" ? `book ${product} ${symbol}` : null,
    (signal) => fetchBook(client, product, symbol, signal),
    BOOK_INTERVAL_MS,
  );
  return answer;
}

/** Null without a book or a quantity. */
export function fillOf({ side, quantity }: Draft, book: BookSides | null): FillOutlook | null {
  const isDue = book !== null && isAmount(quantity) && compare(quantity, "0") > 0;
  return isDue ? outlookOf(book, side, quantity) : null;
}
