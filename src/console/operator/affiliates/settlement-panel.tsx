/** What the next settlement pays or deducts, and settling now. */
import type { ReactElement } from "react";
import type { ListWaitingForSettlementAnswer } from "../../../client/index.ts";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { groupDecimal } from "../../decimals/format.ts";
import { ConfirmButton } from "../components/confirm-button.tsx";
import { Pager, usePages } from "../components/paging.tsx";
import { useOperator } from "../session/operator-session.tsx";

type Waiting = ListWaitingForSettlementAnswer["items"][number];

const LIMIT = 100;

export interface SettlementPanelProps {
  /** A new value refreshes it. */
  readonly version: number;
  readonly onChange: () => void;
}

export function SettlementPanel({ version, onChange }: SettlementPanelProps): ReactElement {
  const { client } = useOperator();
  const paged = usePages<Waiting, number>(`waiting ${version}`, (after, signal) =>
    client.listWaitingForSettlement(
      { limit: LIMIT, ...(after === undefined ? {} : { after }) },
      { signal },
    ),
  );
  return (
    <Panel
      title="Pending settlement"
      flush
      actions={
        <ConfirmButton
          asksReason
          title="Settle now"
          consequence={
            "Pending commissions are paid into spot wallets now instead of at the next full " +
            "hour, less what affiliates owe. Only reversals can undo this."
          }
          confirm="Settle now"
          act={async (reason) => {
            const { settlements } = await client.settleCommissions({ reason });
            return `${settlements} ${settlements === 1 ? "settlement" : "settlements"} made`;
          }}
          onDone={onChange}
        >
          Settle now
        </ConfirmButton>
      }
    >
      <QueryTable
        label="Pending settlement"
        query={paged.query}
        columns={COLUMNS}
        rowKey={({ affiliateUid, asset }) => `${affiliateUid} ${asset}`}
        empty="Nothing pending."
      />
      <Pager what="pending settlement" paged={paged} />
    </Panel>
  );
}

const COLUMNS: readonly Column<Waiting>[] = [
  { id: "affiliate", header: "Affiliate", cell: ({ affiliateUid }) => affiliateUid },
  {
    id: "payable",
    header: "Payable",
    align: "right",
    cell: ({ payable, asset }) => `${groupDecimal(payable)} ${asset}`,
  },
  {
    id: "owed",
    header: "Owed",
    align: "right",
    cell: ({ owed, asset }) => `${groupDecimal(owed)} ${asset}`,
  },
];
