/** The insurance funds, one per margin asset. */
import { type ReactElement, useMemo, useState } from "react";
import type { OperatorClient } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { groupDecimal } from "../../decimals/format.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";
import { InsuranceDialog, type InsuranceMovement } from "./insurance-dialog.tsx";

const INTERVAL_MS = 5_000;
const LIMIT = 1_000;

interface Fund {
  readonly asset: string;
  readonly balance: string;
}

export function InsurancePanel(): ReactElement {
  const { client } = useOperator();
  const [edited, setEdited] = useState<InsuranceMovement | null>(null);
  const query = useQuery("insurance", (signal) => fetchFunds(client, signal), INTERVAL_MS);
  const columns = useMemo(() => columnsOf(setEdited), []);
  return (
    <Panel title="Insurance funds" flush>
      <QueryTable
        label="Insurance funds"
        query={query}
        columns={columns}
        rowKey={({ asset }) => asset}
        empty="No contracts listed, so there are no insurance funds."
      />
      {edited === null ? null : (
        <InsuranceDialog {...edited} onClose={() => setEdited(null)} onDone={query.refresh} />
      )}
    </Panel>
  );
}

async function fetchFunds(client: OperatorClient, signal: AbortSignal): Promise<Fund[]> {
  const { items } = await client.listContractMarkets({ limit: LIMIT }, { signal });
  const assets = [...new Set(items.map(({ marginAsset }) => marginAsset))].sort();
  return await Promise.all(assets.map((asset) => client.getInsurance({ asset }, { signal })));
}

function columnsOf(onEdit: (movement: InsuranceMovement) => void): readonly Column<Fund>[] {
  return [
    { id: "asset", header: "Asset", cell: ({ asset }) => <strong>{asset}</strong> },
    {
      id: "balance",
      header: "Balance",
      align: "right",
      cell: ({ balance }) => groupDecimal(balance),
    },
    {
      id: "actions",
      header: <span className="visually-hidden">Actions</span>,
      align: "right",
      pinned: true,
      cell: ({ asset }) => (
        <span className={layout.rowActions}>
          <Button
            size="small"
            aria-label={`Deposit into the ${asset} fund`}
            onClick={() => onEdit({ asset, kind: "deposit" })}
          >
            Deposit
          </Button>
          <Button
            size="small"
            aria-label={`Withdraw from the ${asset} fund`}
            onClick={() => onEdit({ asset, kind: "withdrawal" })}
          >
            Withdraw
          </Button>
        </span>
      ),
    },
  ];
}
