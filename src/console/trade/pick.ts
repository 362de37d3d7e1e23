/** Picks a price for the order form. */
import { useCallback, useRef } from "react";
import { useMarket } from "./market.tsx";

/** Returns a function that takes a price as decimal text. */
export function usePick(): (price: string) => void {
  const { picked } = useMarket();
  const count = useRef(0);
  return useCallback(
    (price) => {
      count.current++;
      picked.set({ price, at: count.current });
    },
    [picked],
  );
}
