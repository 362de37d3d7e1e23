/** Withdrawals to decide and to follow, and what waits for a second operator. */
import { type ReactElement, useMemo, useState } from "react";
import { Link } from "wouter";
import type { ListWithdrawalRequestsAnswer } from "../../../client/index.ts";
import { WITHDRAWAL_STATES, type WithdrawalState } from "../../../domain/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Choice } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { utcTime } from "../../data/utc.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { Badge } from "../components/badge.tsx";
import layout from "../components/layout.module.css";
import { Pager, usePages } from "../components/paging.tsx";
import { useOperator } from "../session/operator-session.tsx";
import { ProposalsPanel } from "./proposals-panel.tsx";
import { WithdrawalDialog } from "./withdrawal-dialog.tsx";

type Listed = ListWithdrawalRequestsAnswer["items"][number];

const LIMIT = 50;
const REFRESH_MS = 5_000;
const ALL = "all";
const FILTERS = [
  ...WITHDRAWAL_STATES.map((value) => ({ value, text: value })),
  { value: ALL, text: "in every state" },
] as const;

export function WithdrawalsPage(): ReactElement {
  const { client } = useOperator();
  const [state, setState] = useState<WithdrawalState | typeof ALL>("requested");
  const [shown, setShown] = useState<number | null>(null);
  const paged = usePages<Listed, number>(
    `withdrawals ${state}`,
    (after, signal) => {
      const filter = state === ALL ? {} : { state };
      const from = after === undefined ? {} : { after };
      return client.listWithdrawalRequests({ limit: LIMIT, ...filter, ...from }, { signal });
    },
    REFRESH_MS,
  );
  const columns = useMemo(() => columnsOf(setShown), []);
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Withdrawals</h1>
      <Panel
        title="Withdrawals"
        flush
        actions={
          <Choice
            label="State"
            showLabel={false}
            value={state}
            options={FILTERS}
            onValue={setState}
          />
        }
      >
        <QueryTable
          label="Withdrawals"
          query={paged.query}
          columns={columns}
          rowKey={({ withdrawalId }) => withdrawalId}
          empty={state === "requested" ? "No withdrawals awaiting a decision." : "No withdrawals."}
        />
        <Pager what="withdrawals" paged={paged} />
      </Panel>
      <ProposalsPanel onDecided={paged.query.refresh} />
      {shown === null ? null : (
        <WithdrawalDialog
          withdrawalId={shown}
          onClose={() => setShown(null)}
          onChange={paged.query.refresh}
        />
      )}
    </div>
  );
}

const TONES: Readonly<Record<WithdrawalState, "good" | "warn" | "bad" | "plain">> = {
  requested: "warn",
  approved: "plain",
  rejected: "bad",
  sent: "plain",
  done: "good",
  failed: "bad",
};

function columnsOf(onShow: (withdrawalId: number) => void): readonly Column<Listed>[] {
  return [
    { id: "id", header: "Withdrawal", cell: ({ withdrawalId }) => withdrawalId },
    {
      id: "state",
      header: "State",
      cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge>,
    },
    {
      id: "user",
      header: "User",
      cell: ({ uid }) => <Link href={`/users/${uid}`}>{uid}</Link>,
    },
    {
      id: "amount",
      header: "Amount",
      align: "right",
      cell: ({ amount, asset }) => `${groupDecimal(amount)} ${asset}`,
    },
    { id: "network", header: "Network", cell: ({ network }) => network },
    {
      id: "address",
      header: "Address",
      cell: ({ address }) => (
        <span className={layout.clip} title={address}>
          {address}
        </span>
      ),
    },
    { id: "requested", header: "Requested", cell: ({ requested }) => utcTime(requested) },
    {
      id: "actions",
      header: <span className="visually-hidden">Actions</span>,
      align: "right",
      pinned: true,
      cell: ({ withdrawalId }) => (
        <Button
          size="small"
          aria-label={`Open withdrawal ${withdrawalId}`}
          onClick={() => onShow(withdrawalId)}
        >
          Open
        </Button>
      ),
    },
  ];
}
