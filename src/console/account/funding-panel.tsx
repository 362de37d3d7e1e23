/** The newest funding payments of the contract wallet. */
import type { ReactElement } from "react";
import type { Column } from "../components/data-table.tsx";
import { Panel } from "../components/panel.tsx";
import { QueryTable } from "../components/query-view.tsx";
import { useQuery } from "../data/query.ts";
import { utcTime } from "../data/utc.ts";
import { groupDecimal, signOf, toneOf } from "../decimals/format.ts";
import { useSession } from "../session/session.tsx";
import styles from "./account-page.module.css";
import type { Income } from "./realised-days.ts";

const LIMIT = 20;
const INTERVAL_MS = 30_000;

export function FundingPanel(): ReactElement {
  const { client, apiKey } = useSession();
  const query = useQuery(
    apiKey === null ? null : `funding ${apiKey}`,
    (signal) =>
      client.contract.income({ incomeType: "position_funding", limit: LIMIT }, { signal }),
    INTERVAL_MS,
  );
  return (
    <Panel title="Funding payments" flush>
      <QueryTable
        label="Funding payments"
        query={query}
        columns={COLUMNS}
        rowKey={({ billId }) => billId}
        empty="No funding yet. Open positions pay or receive it at each funding time."
      />
      {(query.answer?.items.length ?? 0) < LIMIT ? null : (
        <p className={styles.note}>The newest {LIMIT}. Export the contract wallet for all.</p>
      )}
    </Panel>
  );
}

const COLUMNS: readonly Column<Income>[] = [
  { id: "time", header: "Time", cell: ({ time }) => utcTime(time) },
  { id: "symbol", header: "Contract", cell: ({ symbol }) => symbol },
  {
    id: "kind",
    header: "Direction",
    cell: ({ income }) => (signOf(income) < 0 ? "Paid" : "Received"),
  },
  {
    id: "amount",
    header: "Amount",
    align: "right",
    cell: ({ income, asset }) => (
      <span className={styles.amount} data-tone={toneOf(income)}>
        {groupDecimal(income)} {asset}
      </span>
    ),
  },
];
