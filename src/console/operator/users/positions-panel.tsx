/** A user's open positions. */
import type { ReactElement } from "react";
import type { ListPositionsOfUserAnswer } from "../../../client/index.ts";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { utcTime } from "../../data/utc.ts";
import { groupDecimal, MONEY_DECIMALS, toneOf } from "../../decimals/format.ts";
import { useOperator } from "../session/operator-session.tsx";
import styles from "./orders.module.css";

type Position = ListPositionsOfUserAnswer["items"][number];

const INTERVAL_MS = 5_000;

export function PositionsPanel({ uid }: { readonly uid: number }): ReactElement {
  const { client } = useOperator();
  const query = useQuery(
    `positions of ${uid}`,
    (signal) => client.listPositionsOfUser({ uid }, { signal }),
    INTERVAL_MS,
  );
  return (
    <Panel title="Positions" flush>
      <QueryTable
        label="Positions"
        query={query}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty="No open positions."
      />
    </Panel>
  );
}

const COLUMNS: readonly Column<Position>[] = [
  { id: "symbol", header: "Contract", cell: ({ symbol }) => <strong>{symbol}</strong> },
  {
    id: "side",
    header: "Side",
    cell: ({ side, leverage }) => (
      <span className={styles.tone} data-tone={side === "LONG" ? "buy" : "sell"}>
        {side === "LONG" ? "Long" : "Short"} {leverage}×
      </span>
    ),
  },
  {
    id: "type",
    header: "Margin type",
    cell: ({ marginType }) => (marginType === "CROSSED" ? "Cross" : "Isolated"),
  },
  { id: "size", header: "Size", align: "right", cell: ({ size }) => groupDecimal(size) },
  {
    id: "margin",
    header: "Margin",
    align: "right",
    cell: ({ margin, asset }) => `${groupDecimal(margin, MONEY_DECIMALS)} ${asset}`,
  },
  {
    id: "liquidation",
    header: "Liquidation",
    align: "right",
    cell: ({ liquidatePrice }) => (liquidatePrice === "0" ? "–" : groupDecimal(liquidatePrice)),
  },
  {
    id: "pnl",
    header: "Unrealised P&L",
    align: "right",
    cell: ({ unrealizePnl }) => (
      <span className={styles.tone} data-tone={toneOf(unrealizePnl)}>
        {groupDecimal(unrealizePnl, MONEY_DECIMALS)}
      </span>
    ),
  },
  {
    id: "opened",
    header: "Opened",
    align: "right",
    cell: ({ createdAt }) => utcTime(createdAt),
  },
];
