/** A user's orders: open ones, and ended ones page by page. */
import { type ReactElement, useState } from "react";
import type { ListOpenOrdersAnswer } from "../../../client/index.ts";
import type { Column } from "../../components/data-table.tsx";
import { Segments } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { utcTime } from "../../data/utc.ts";
import { groupDecimal } from "../../decimals/format.ts";
import layout from "../components/layout.module.css";
import { Pager, usePages } from "../components/paging.tsx";
import { useOperator } from "../session/operator-session.tsx";
import styles from "./orders.module.css";

type Order = ListOpenOrdersAnswer["items"][number];

const INTERVAL_MS = 5_000;
const LIMIT = 25;

const LISTS = [
  { value: "open", text: "Open" },
  { value: "spot", text: "Ended, spot" },
  { value: "contract", text: "Ended, contracts" },
] as const;
type List = (typeof LISTS)[number]["value"];

export function OrdersPanel({ uid }: { readonly uid: number }): ReactElement {
  const [list, setList] = useState<List>("open");
  const choice = <Segments label="Orders" value={list} options={LISTS} onValue={setList} />;
  return (
    <Panel title="Orders" flush actions={choice}>
      {list === "open" ? <OpenOrders uid={uid} /> : <EndedOrders uid={uid} product={list} />}
    </Panel>
  );
}

function OpenOrders({ uid }: { readonly uid: number }): ReactElement {
  const { client } = useOperator();
  const query = useQuery(
    `open orders ${uid}`,
    (signal) => client.listOpenOrders({ uid }, { signal }),
    INTERVAL_MS,
  );
  return (
    <QueryTable
      label="Open orders"
      query={query}
      columns={OPEN_COLUMNS}
      rowKey={keyOf}
      empty="No open orders."
    />
  );
}

interface EndedOrdersProps {
  readonly uid: number;
  readonly product: "spot" | "contract";
}

function EndedOrders({ uid, product }: EndedOrdersProps): ReactElement {
  const { client } = useOperator();
  const paged = usePages<Order, number>(`ended ${product} ${uid}`, (page, signal) =>
    client.listEndedOrders({ uid, product, limit: LIMIT, page: page ?? 1 }, { signal }),
  );
  return (
    <>
      <QueryTable
        label="Ended orders"
        query={paged.query}
        columns={ENDED_COLUMNS}
        rowKey={keyOf}
        empty="No ended orders."
      />
      <Pager what="ended orders" paged={paged} />
    </>
  );
}

function keyOf({ product, orderId, triggerPrice }: Order): string {
  return `${product} ${orderId} ${triggerPrice !== null}`;
}

/** "STOP_MARKET" as "Stop market". */
function words(code: string): string {
  const text = code.toLowerCase().replaceAll(/[_-]/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function sideText({ side, positionSide }: Order): string {
  if (positionSide === null) return side === "BUY" ? "Buy" : "Sell";
  const isOpening = (side === "BUY") === (positionSide === "LONG");
  return `${isOpening ? "Open" : "Close"} ${positionSide.toLowerCase()}`;
}

function priceText({ price, triggerPrice }: Order): string {
  const limit = price === "0" ? "Market" : groupDecimal(price);
  return triggerPrice === null ? limit : `${limit} at ${groupDecimal(triggerPrice)}`;
}

const SHARED_COLUMNS: readonly Column<Order>[] = [
  { id: "id", header: "Order ID", cell: ({ orderId }) => orderId },
  {
    id: "client",
    header: "Client order ID",
    cell: ({ clientOrderId }) => (
      <span className={layout.clip} title={clientOrderId}>
        {clientOrderId}
      </span>
    ),
  },
  {
    id: "symbol",
    header: "Market",
    cell: ({ symbol, product }) => (
      <>
        <strong>{symbol}</strong> {product}
      </>
    ),
  },
  {
    id: "side",
    header: "Side",
    cell: (order) => (
      <span className={styles.tone} data-tone={order.side === "BUY" ? "buy" : "sell"}>
        {sideText(order)}
      </span>
    ),
  },
  { id: "type", header: "Type", cell: ({ type }) => words(type) },
  { id: "price", header: "Price", align: "right", cell: priceText },
  {
    id: "quantity",
    header: "Filled / quantity",
    align: "right",
    cell: ({ filledQuantity, quantity }) =>
      `${groupDecimal(filledQuantity)} / ${quantity === "0" ? "position" : groupDecimal(quantity)}`,
  },
];

const OPEN_COLUMNS: readonly Column<Order>[] = [
  ...SHARED_COLUMNS,
  {
    id: "created",
    header: "Placed",
    align: "right",
    cell: ({ createdAt }) => utcTime(createdAt),
  },
];

const ENDED_COLUMNS: readonly Column<Order>[] = [
  ...SHARED_COLUMNS,
  {
    id: "status",
    header: "Status",
    cell: ({ status, reason }) =>
      status === "FILLED"
        ? "Filled"
        : `${words(status)}${reason === null ? "" : `: ${reason.replaceAll("-", " ")}`}`,
  },
  { id: "ended", header: "Ended", align: "right", cell: ({ updatedAt }) => utcTime(updatedAt) },
];
