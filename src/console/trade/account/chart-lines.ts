/** Chart lines: the user's open orders, entry and liquidation prices in this market. */
import { useEffect } from "react";
import type { Position, RialtoClient } from "../../../client/index.ts";
import { compare, cutToStep } from "../../decimals/arithmetic.ts";
import { useSession } from "../../session/session.tsx";
import { type ChartLine, useMarket } from "../market.tsx";
import type { MarketRules } from "../market-rules.ts";
import { useAccountQuery } from "./account-query.ts";
import { entryPriceOf } from "./entry-price.ts";
import { fetchOpenOrders } from "./open-orders.tsx";

/** Liquidation prices of cross positions move with the mark price. */
const CONTRACT_INTERVAL_MS = 2_000;

/** Use once per page. */
export function useChartLines(): void {
  const { client } = useSession();
  const { rules, lines } = useMarket();
  const { answer } = useAccountQuery(
    `lines ${rules.symbol}`,
    (signal) => fetchLines(client, rules, signal),
    rules.product === "contract" ? CONTRACT_INTERVAL_MS : null,
  );
  useEffect(() => lines.set(answer ?? []), [lines, answer]);
}

async function fetchLines(
  client: RialtoClient,
  rules: MarketRules,
  signal: AbortSignal,
): Promise<readonly ChartLine[]> {
  const { product, symbol } = rules;
  const orders = await fetchOpenOrders(client, product, symbol, signal);
  const found = orders.map(
    ({ orderId, price, side, origQty }): ChartLine => ({
      id: `order-${orderId}`,
      price,
      label: `${side === "BUY" ? "Buy" : "Sell"} ${origQty}`,
      tone: side === "BUY" ? "buy" : "sell",
    }),
  );
  if (product === "spot") return found;
  const positions = await client.contract.positionsOf({ symbol }, { signal });
  return [...found, ...positions.flatMap((position) => linesOfPosition(position, rules))];
}

function linesOfPosition(position: Position, { tickSize }: MarketRules): ChartLine[] {
  const { id, side, size, liquidatePrice } = position;
  const name = side === "LONG" ? "Long" : "Short";
  const entry: ChartLine = {
    id: `entry-${id}`,
    price: cutToStep(entryPriceOf(position), tickSize),
    label: `${name} ${size}`,
    tone: "info",
  };
  if (compare(liquidatePrice, "0") === 0) return [entry];
  const label = `${name} liquidation`;
  return [entry, { id: `liquidation-${id}`, price: liquidatePrice, label, tone: "warn" }];
}
