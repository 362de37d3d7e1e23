/** Columns shared by open orders and order history. */
import type { ContractOrder, EndedContractOrder, SpotOrder } from "../../../client/index.ts";
import type { Column } from "../../components/data-table.tsx";
import {
  byAmount,
  byText,
  FilledCell,
  OrderPriceCell,
  SideCell,
  sharePercent,
  typeText,
} from "./cells.tsx";

type OrderColumn = Column<SpotOrder | ContractOrder | EndedContractOrder>;

export const ORDER_COLUMNS: readonly OrderColumn[] = [
  {
    id: "symbol",
    header: "Market",
    cell: ({ symbol }) => symbol,
    compare: byText(({ symbol }) => symbol),
  },
  {
    id: "side",
    header: "Side",
    cell: (order) => (
      <SideCell
        side={order.side}
        positionSide={"positionSide" in order ? order.positionSide : undefined}
      />
    ),
    compare: byText(({ side }) => side),
  },
  { id: "type", header: "Type", cell: (order) => typeText(order) },
  {
    id: "price",
    header: "Price",
    align: "right",
    cell: ({ symbol, price }) => <OrderPriceCell symbol={symbol} price={price} />,
    compare: byAmount(({ price }) => price),
  },
];

export const FILLED_COLUMN: OrderColumn = {
  id: "filled",
  header: "Filled",
  align: "right",
  cell: ({ symbol, executedQty, origQty }) => (
    <FilledCell symbol={symbol} executed={executedQty} ordered={origQty} />
  ),
  compare: byAmount(({ executedQty, origQty }) => sharePercent(executedQty, origQty)),
};

export const ORDER_ID_COLUMN: OrderColumn = {
  id: "id",
  header: "Order",
  align: "right",
  cell: ({ orderId }) => orderId,
  compare: (left, right) => left.orderId - right.orderId,
};
