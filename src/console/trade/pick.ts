/** Picks a price for the order form, from the book, the tape or the chart. */
import { useCallback, useRef } from "react";
import { useMarket } from "./market.tsx";

/**
 * Returns a function that takes a price as decimal text. `forOrder` makes it a limit order's and
 * opens the form where it is in a sheet.
 */
export function usePick(): (price: string, forOrder?: boolean) => void {
  const { picked } = useMarket();
  const count = useRef(0);
  return useCallback(
    (price, forOrder = false) => {
      count.current++;
      picked.set({ price, at: count.current, forOrder });
    },
    [picked],
  );
}
