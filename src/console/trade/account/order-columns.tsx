/** Columns shared by open orders and order history. */
import type { ContractOrder, EndedContractOrder, SpotOrder } from "../../../client/index.ts";
import type { Column } from "../../components/data-table.tsx";
import { filledText, priceText, SideCell, typeText } from "./cells.tsx";

type OrderColumn = Column<SpotOrder | ContractOrder | EndedContractOrder>;

export const ORDER_COLUMNS: readonly OrderColumn[] = [
  { id: "symbol", header: "Market", cell: ({ symbol }) => symbol },
  {
    id: "side",
    header: "Side",
    cell: (order) => (
      <SideCell
        side={order.side}
        positionSide={"positionSide" in order ? order.positionSide : undefined}
      />
    ),
  },
  { id: "type", header: "Type", cell: (order) => typeText(order) },
  { id: "price", header: "Price", align: "right", cell: ({ price }) => priceText(price) },
];

export const FILLED_COLUMN: OrderColumn = {
  id: "filled",
  header: "Filled",
  align: "right",
  cell: ({ executedQty, origQty }) => filledText(executedQty, origQty),
};

export const ORDER_ID_COLUMN: OrderColumn = {
  id: "id",
  header: "Order",
  align: "right",
  cell: ({ orderId }) => orderId,
};
