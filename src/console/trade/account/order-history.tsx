/** Past orders, newest first. */
import type { ReactElement } from "react";
import type { EndedContractOrder, SpotOrder } from "../../../client/index.ts";
import type { Column } from "../../components/data-table.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { compare } from "../../decimals/arithmetic.ts";
import { useSession } from "../../session/session.tsx";
import { useMarket } from "../market.tsx";
import { averageOf } from "../order-average.ts";
import { useAccountQuery } from "./account-query.ts";
import { AverageCell, TimeCell } from "./cells.tsx";
import { FILLED_COLUMN, ORDER_COLUMNS, ORDER_ID_COLUMN } from "./order-columns.tsx";

type EndedOrder = SpotOrder | EndedContractOrder;

const LIMIT = 200;
const AVERAGE_DECIMALS = 8;

export function OrderHistory({ symbol }: { readonly symbol: string | null }): ReactElement {
  const { client } = useSession();
  const { rules } = useMarket();
  // Spot lists orders by market only.
  const market = rules.product === "spot" ? rules.symbol : symbol;
  const query = useAccountQuery<readonly EndedOrder[]>(`history ${market}`, async (signal) => {
    if (rules.product === "contract") {
      const query = { limit: LIMIT, ...(market === null ? {} : { symbol: market }) };
      return client.contract.orderHistory(query, { signal });
    }
    const orders = await client.spot.allOrders({ symbol: rules.symbol, limit: LIMIT }, { signal });
    const ended = orders.filter(({ status }) => status !== "NEW");
    return ended.sort((left, right) => right.updateTime - left.updateTime);
  });
  return (
    <QueryTable
      label="Order history"
      query={query}
      columns={COLUMNS}
      rowKey={({ orderId }) => orderId}
      empty="No past orders yet."
    />
  );
}

const STATUSES: Readonly<Record<EndedOrder["status"], string>> = {
  NEW: "Open",
  FILLED: "Filled",
  CANCELED: "Cancelled",
};

const COLUMNS: readonly Column<EndedOrder>[] = [
  { id: "time", header: "Closed", cell: ({ updateTime }) => <TimeCell ms={updateTime} /> },
  ...ORDER_COLUMNS,
  {
    id: "average",
    header: "Avg. price",
    align: "right",
    cell: (order) => {
      const average = averageOf(order, AVERAGE_DECIMALS);
      if (compare(average, "0") === 0) return "–";
      return <AverageCell symbol={order.symbol} price={average} />;
    },
  },
  FILLED_COLUMN,
  {
    id: "status",
    header: "Status",
    cell: ({ status }) => STATUSES[status],
  },
  ORDER_ID_COLUMN,
];
