/** The take-profit and stop-loss orders that wait for positions. */
import { useMemo } from "react";
import type { AlgoOrder, Position } from "../../../client/index.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { useAccountQuery } from "./account-query.ts";

/** By market and position side. */
export type Exits = ReadonlyMap<string, readonly AlgoOrder[]>;

const NONE: readonly AlgoOrder[] = [];

const keyOf = (symbol: string, side: string): string => `${symbol} ${side}`;

/** Those of an order that has not filled yet wait for nothing. */
const isWaiting = ({ side, positionSide, algoStatus }: AlgoOrder): boolean =>
  (side === "SELL") === (positionSide === "LONG") && algoStatus !== "NEW";

export function useExits(): Exits {
  const { client } = useSession();
  const { answer } = useAccountQuery<readonly AlgoOrder[]>("exits", (signal) =>
    client.contract.openAlgoOrders({}, { signal }),
  );
  return useMemo(
    () =>
      Map.groupBy((answer ?? NONE).filter(isWaiting), ({ symbol, positionSide }) =>
        keyOf(symbol, positionSide),
      ),
    [answer],
  );
}

/** "95,000 / 88,000"; of several the count: "95,000 / 2 orders". */
export function exitsText(exits: Exits, { symbol, side }: Position): string {
  const orders = exits.get(keyOf(symbol, side)) ?? NONE;
  if (orders.length === 0) return "–";
  const isProfit = ({ orderType }: AlgoOrder): boolean => orderType.startsWith("TAKE_PROFIT");
  const profits = orders.filter(isProfit);
  const losses = orders.filter((order) => !isProfit(order));
  return `${triggersText(profits)} / ${triggersText(losses)}`;
}

function triggersText(orders: readonly AlgoOrder[]): string {
  const [first] = orders;
  if (first === undefined) return "–";
  return orders.length === 1 ? groupDecimal(first.triggerPrice) : `${orders.length} orders`;
}
