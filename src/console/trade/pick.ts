/** Picking a price for the order form. */
import { useCallback, useRef } from "react";
import { useMarket } from "./market.tsx";

/** Tells the form a price, as plain decimal text. */
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
