/** Conditional orders that have not triggered yet. */
import { type ReactElement, useMemo } from "react";
import type { AlgoOrder, RialtoClient } from "../../../client/index.ts";
import type { Column } from "../../components/data-table.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useSession } from "../../session/session.tsx";
import { useAccountQuery } from "./account-query.ts";
import {
  byAmount,
  byText,
  NEWEST_FIRST,
  OrderPriceCell,
  PriceCell,
  QuantityCell,
  SideCell,
  TimeCell,
} from "./cells.tsx";
import { RowAction } from "./row-action.tsx";

export function ConditionalOrders({ symbol }: { readonly symbol: string | null }): ReactElement {
  const { client } = useSession();
  const filter = symbol === null ? {} : { symbol };
  const query = useAccountQuery<readonly AlgoOrder[]>(`algo ${symbol}`, (signal) =>
    client.contract.openAlgoOrders(filter, { signal }),
  );
  const columns = useMemo(() => columnsOf(client), [client]);
  const cancelAll = async (): Promise<string> => {
    const { length } = await client.contract.cancelAllAlgoOrders(filter);
    const orders = length === 1 ? "1 conditional order" : `${length} conditional orders`;
    return `${orders} cancelled`;
  };
  return (
    <QueryTable
      label="Conditional orders"
      cards
      sorted={NEWEST_FIRST}
      query={query}
      columns={columns}
      rowKey={({ algoId }) => algoId}
      empty="No conditional orders. Your stop, take-profit and trailing stop orders appear here."
      actions={
        <RowAction tone="danger" label="Cancel all conditional orders in this list" act={cancelAll}>
          Cancel all
        </RowAction>
      }
    />
  );
}

const NAMES: Readonly<Record<AlgoOrder["orderType"], string>> = {
  STOP: "Stop limit",
  STOP_MARKET: "Stop market",
  TAKE_PROFIT: "Take-profit limit",
  TAKE_PROFIT_MARKET: "Take-profit market",
  TRAILING_STOP_MARKET: "Trailing stop",
};

function columnsOf(client: RialtoClient): readonly Column<AlgoOrder>[] {
  const cancel = async ({ algoId }: AlgoOrder): Promise<string> => {
    await client.contract.cancelAlgoOrder({ orderId: algoId });
    return `Conditional order ${algoId} cancelled`;
  };
  return [
    {
      id: "time",
      header: "Time",
      cell: ({ createTime }) => <TimeCell ms={createTime} />,
      compare: (left, right) => left.createTime - right.createTime || left.algoId - right.algoId,
    },
    {
      id: "symbol",
      header: "Market",
      cell: ({ symbol }) => symbol,
      compare: byText(({ symbol }) => symbol),
    },
    { id: "kind", header: "Condition", cell: ({ orderType }) => NAMES[orderType] },
    {
      id: "side",
      header: "Side",
      cell: ({ side, positionSide }) => <SideCell side={side} positionSide={positionSide} />,
    },
    {
      id: "trigger",
      header: "Trigger",
      align: "right",
      cell: ({ symbol, triggerPrice, workingType }) => (
        <>
          {workingType === "MARK_PRICE" ? "mark" : "last"}{" "}
          <PriceCell symbol={symbol} price={triggerPrice} />
        </>
      ),
      compare: byAmount(({ triggerPrice }) => triggerPrice),
    },
    {
      id: "price",
      header: "Price",
      align: "right",
      cell: ({ symbol, price }) => <OrderPriceCell symbol={symbol} price={price} />,
    },
    {
      id: "quantity",
      header: "Quantity",
      align: "right",
      cell: ({ symbol, quantity, closePosition }) =>
        closePosition ? "Whole position" : <QuantityCell symbol={symbol} quantity={quantity} />,
    },
    {
      id: "status",
      header: "Status",
      cell: ({ algoStatus }) =>
        algoStatus === "NEW" ? "Inactive until its order fills" : "Active",
    },
    {
      id: "cancel",
      header: "",
      align: "right",
      pinned: true,
      cell: (order) => (
        <RowAction label={`Cancel conditional order ${order.algoId}`} act={() => cancel(order)}>
          Cancel
        </RowAction>
      ),
    },
  ];
}
