/** The user's newest fills in this market, for marks on the candles. */
import { useEffect } from "react";
import type { RialtoClient } from "../../../client/index.ts";
import { useSession } from "../../session/session.tsx";
import type { OwnFill } from "../chart/own-fills.ts";
import { useMarket } from "../market.tsx";
import type { MarketRules } from "../market-rules.ts";
import { useAccountQuery } from "./account-query.ts";

/** What one request gives. */
const FILLS_MAX = { spot: 500, contract: 100 } as const;

/** Use once per page. */
export function useChartFills(): void {
  const { client } = useSession();
  const { rules, fills } = useMarket();
  const { answer } = useAccountQuery(`marks ${rules.symbol}`, (signal) =>
    fetchOwnFills(client, rules, signal),
  );
  useEffect(() => fills.set(answer ?? []), [fills, answer]);
}

async function fetchOwnFills(
  client: RialtoClient,
  { product, symbol }: MarketRules,
  signal: AbortSignal,
): Promise<readonly OwnFill[]> {
  const query = { symbol, limit: FILLS_MAX[product] };
  const rows =
    product === "spot"
      ? (await client.spot.myTrades(query, { signal })).map((row) => ({
          ...row,
          buyer: row.isBuyer,
        }))
      : await client.contract.userTrades(query, { signal });
  return rows.map(({ time, buyer, qty, quoteQty }) => ({
    time,
    isBuy: buyer,
    quantity: qty,
    value: quoteQty,
  }));
}
