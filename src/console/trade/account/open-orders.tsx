/** Open orders, which can be cancelled one by one or all at once. */
import { type ReactElement, useMemo } from "react";
import type { ContractOrder, RialtoClient, SpotOrder } from "../../../client/index.ts";
import type { Column } from "../../components/data-table.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useSession } from "../../session/session.tsx";
import { useMarket } from "../market.tsx";
import type { Product } from "../market-rules.ts";
import { useAccountQuery } from "./account-query.ts";
import { NEWEST_FIRST, TimeCell } from "./cells.tsx";
import { FILLED_COLUMN, ORDER_COLUMNS, ORDER_ID_COLUMN } from "./order-columns.tsx";
import { RowAction } from "./row-action.tsx";

type OpenOrder = SpotOrder | ContractOrder;

export function OpenOrders({ symbol }: { readonly symbol: string | null }): ReactElement {
  const { client } = useSession();
  const { rules } = useMarket();
  const { product } = rules;
  const query = useAccountQuery(`open ${symbol}`, (signal) =>
    fetchOpenOrders(client, product, symbol, signal),
  );
  const columns = useMemo(() => columnsOf(client, product), [client, product]);
  const cancelAll = async (): Promise<string> => {
    const count = await cancelAllOrders(client, product, symbol, query.answer ?? []);
    return count === 1 ? "1 order cancelled" : `${count} orders cancelled`;
  };
  return (
    <QueryTable
      label="Open orders"
      cards
      sorted={NEWEST_FIRST}
      query={query}
      columns={columns}
      rowKey={({ orderId }) => orderId}
      empty="No open orders."
      actions={
        <RowAction tone="danger" label="Cancel all orders in this list" act={cancelAll}>
          Cancel all
        </RowAction>
      }
    />
  );
}

export async function fetchOpenOrders(
  client: RialtoClient,
  product: Product,
  symbol: string | null,
  signal: AbortSignal,
): Promise<readonly OpenOrder[]> {
  const query = symbol === null ? {} : { symbol };
  return product === "spot"
    ? client.spot.openOrders(query, { signal })
    : client.contract.openOrders(query, { signal });
}

export async function cancelAllOrders(
  client: RialtoClient,
  product: Product,
  symbol: string | null,
  orders: readonly OpenOrder[],
): Promise<number> {
  if (product === "contract") {
    return (await client.contract.cancelAllOrders(symbol === null ? {} : { symbol })).length;
  }
  // Spot cancels by market.
  const symbols = symbol === null ? [...new Set(orders.map((order) => order.symbol))] : [symbol];
  let count = 0;
  for (const each of symbols)
    count += (await client.spot.cancelOpenOrders({ symbol: each })).length;
  return count;
}

function columnsOf(client: RialtoClient, product: Product): readonly Column<OpenOrder>[] {
  const cancel = async ({ orderId }: OpenOrder): Promise<string> => {
    if (product === "spot") await client.spot.cancelOrder({ orderId });
    else await client.contract.cancelOrder({ orderId });
    return `Order ${orderId} cancelled`;
  };
  return [
    {
      id: "time",
      header: "Time",
      cell: ({ time }) => <TimeCell ms={time} />,
      compare: (left, right) => left.time - right.time || left.orderId - right.orderId,
    },
    ...ORDER_COLUMNS,
    FILLED_COLUMN,
    ORDER_ID_COLUMN,
    {
      id: "cancel",
      header: "",
      align: "right",
      pinned: true,
      cell: (order) => (
        <RowAction label={`Cancel order ${order.orderId}`} act={() => cancel(order)}>
          Cancel
        </RowAction>
      ),
    },
  ];
}
