/** The 24-hour tickers of a product. */
import type { ContractTicker, SpotTicker } from "../../client/index.ts";
import { useSession } from "../session/session.tsx";
import { type Query, useQuery } from "./query.ts";

export type Ticker = SpotTicker | ContractTicker;

export function useTickers(
  product: "spot" | "contract",
  intervalMs: number,
): Query<readonly Ticker[]> {
  const { client } = useSession();
  return useQuery<readonly Ticker[]>(
    product,
    (signal) => client[product].tickers({}, { signal }),
    intervalMs,
  );
}
