/** Past orders, newest first. */
import type { ReactElement } from "react";
import type { EndedContractOrder, RialtoClient, SpotOrder } from "../../../client/index.ts";
import { conditionalName, reasonText, sourceName } from "../../activity/order-words.ts";
import type { Column } from "../../components/data-table.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { compare } from "../../decimals/arithmetic.ts";
import { useSession } from "../../session/session.tsx";
import { useMarket } from "../market.tsx";
import { averageOf } from "../order-average.ts";
import { useAccountQuery } from "./account-query.ts";
import { NEWEST_FIRST, PriceCell, TimeCell, typeText } from "./cells.tsx";
import { FILLED_COLUMN, ORDER_COLUMNS, ORDER_ID_COLUMN } from "./order-columns.tsx";

type EndedOrder = SpotOrder | EndedContractOrder;

interface PlacedByExchange {
  readonly orderSource?: EndedContractOrder["orderSource"];
  readonly cancelReason?: string;
  /** Of the conditional order that placed it. */
  readonly conditionalType?: string | undefined;
}

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
      return fetchContractOrders(client, query, signal);
    }
    const orders = await client.spot.allOrders({ symbol: rules.symbol, limit: LIMIT }, { signal });
    return orders.filter(({ status }) => status !== "NEW");
  });
  return (
    <QueryTable
      label="Order history"
      cards
      sorted={NEWEST_FIRST}
      query={query}
      columns={COLUMNS}
      rowKey={({ orderId }) => orderId}
      empty="No past orders yet."
    />
  );
}

/** With the types of the conditional orders that placed some of them. */
async function fetchContractOrders(
  client: RialtoClient,
  query: { readonly limit: number; readonly symbol?: string },
  signal: AbortSignal,
): Promise<readonly EndedOrder[]> {
  const ended = await client.contract.orderHistory({ ...query, detail: "FULL" }, { signal });
  if (!ended.some(({ orderSource }) => orderSource === "ALGO")) return ended;
  const { orders } = await client.contract.algoOrderHistory(query, { signal });
  const typeOf = new Map(orders.map(({ actualOrderId, orderType }) => [actualOrderId, orderType]));
  return ended.map((order) => ({ ...order, conditionalType: typeOf.get(order.orderId) }));
}

/** "Market", or who else placed it: "Liquidation", "Stop". */
function placedAs(order: EndedOrder): string {
  const { conditionalType, orderSource = "API" } = order as PlacedByExchange;
  if (conditionalType !== undefined) return conditionalName(conditionalType);
  return sourceName(orderSource) ?? typeText(order);
}

function statusText(order: EndedOrder): string {
  if (order.status === "FILLED") return "Filled";
  const { cancelReason = null } = order as PlacedByExchange;
  const text = reasonText(cancelReason);
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const TYPE_COLUMN: Column<EndedOrder> = { id: "type", header: "Type", cell: placedAs };

const COLUMNS: readonly Column<EndedOrder>[] = [
  {
    id: "time",
    header: "Closed",
    cell: ({ updateTime }) => <TimeCell ms={updateTime} />,
    compare: (left, right) => left.updateTime - right.updateTime || left.orderId - right.orderId,
  },
  ...ORDER_COLUMNS.map((column) => (column.id === "type" ? TYPE_COLUMN : column)),
  {
    id: "average",
    header: "Avg. price",
    align: "right",
    cell: (order) => {
      const average = averageOf(order, AVERAGE_DECIMALS);
      if (compare(average, "0") === 0) return "–";
      return <PriceCell symbol={order.symbol} price={average} />;
    },
  },
  FILLED_COLUMN,
  {
    id: "status",
    header: "Status",
    cell: statusText,
  },
  ORDER_ID_COLUMN,
];
