/** A user's spot and contract wallets; zero balances are hidden by default. */
import { type ReactElement, useState } from "react";
import type { GetBalancesAnswer } from "../../../client/index.ts";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Switch } from "../../components/field.tsx";
import { Notice, Panel } from "../../components/panel.tsx";
import { QueryView } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { groupDecimal, signOf } from "../../decimals/format.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";

type Spot = GetBalancesAnswer["spot"][number];
type Contract = GetBalancesAnswer["contract"][number];

const INTERVAL_MS = 5_000;

export interface BalancesPanelProps {
  readonly uid: number;
  /** A new value refreshes them. */
  readonly version: number;
}

export function BalancesPanel({ uid, version }: BalancesPanelProps): ReactElement {
  const { client } = useOperator();
  const [all, setAll] = useState(false);
  const query = useQuery(
    `balances ${uid}`,
    (signal) => client.getBalances({ uid }, { signal }),
    INTERVAL_MS,
    version,
  );
  return (
    <Panel
      title="Balances"
      flush
      actions={<Switch label="Show zero balances" checked={all} onChange={setAll} />}
    >
      <QueryView what="balances" query={query}>
        {({ spot, contract }) => (
          <>
            <h3 className={layout.note}>Spot wallet</h3>
            <DataTable
              label="Spot wallet"
              columns={SPOT_COLUMNS}
              rows={spot.filter(({ equity }) => all || signOf(equity) !== 0)}
              rowKey={({ asset }) => asset}
              empty={<Notice kind="empty">The spot wallet is empty.</Notice>}
            />
            <h3 className={layout.note}>Contract wallet</h3>
            <DataTable
              label="Contract wallet"
              columns={CONTRACT_COLUMNS}
              rows={contract.filter(({ balance }) => all || signOf(balance) !== 0)}
              rowKey={({ asset }) => asset}
              empty={<Notice kind="empty">The contract wallet is empty.</Notice>}
            />
          </>
        )}
      </QueryView>
    </Panel>
  );
}

function amount<Row>(id: string, header: string, textOf: (row: Row) => string): Column<Row> {
  return { id, header, align: "right", cell: (row) => groupDecimal(textOf(row)) };
}

const SPOT_COLUMNS: readonly Column<Spot>[] = [
  { id: "asset", header: "Asset", cell: ({ asset }) => <strong>{asset}</strong> },
  amount("available", "Available", ({ available }: Spot) => available),
  amount("frozen", "In orders", ({ frozen }: Spot) => frozen),
  amount("equity", "Total", ({ equity }: Spot) => equity),
];

const CONTRACT_COLUMNS: readonly Column<Contract>[] = [
  { id: "asset", header: "Asset", cell: ({ asset }) => <strong>{asset}</strong> },
  amount("available", "Available", ({ available }: Contract) => available),
  amount("orderMargin", "Order margin", ({ orderMargin }: Contract) => orderMargin),
  amount("positionMargin", "Position margin", ({ positionMargin }: Contract) => positionMargin),
  amount("balance", "Total", ({ balance }: Contract) => balance),
];
