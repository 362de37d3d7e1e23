/** A user's fund movements by operators, oldest first. */
import { type ReactElement, useState } from "react";
import type { OperatorClient } from "../../../client/index.ts";
import type { Column } from "../../components/data-table.tsx";
import { Segments } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { utcTime } from "../../data/utc.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { type Page, Pager, usePages } from "../components/paging.tsx";
import { useOperator } from "../session/operator-session.tsx";
import type { MovementKind } from "./movement-kind.ts";

const LIMIT = 50;

const KINDS = [
  { value: "deposit", text: "Deposits" },
  { value: "withdrawal", text: "Withdrawals" },
  { value: "transfer", text: "Transfers" },
] as const;

interface Row {
  readonly id: string;
  readonly asset: string;
  readonly amount: string;
  readonly time: number;
  readonly wallets: string;
}

export interface MovementsPanelProps {
  readonly uid: number;
  /** A new value refreshes them. */
  readonly version: number;
}

export function MovementsPanel({ uid, version }: MovementsPanelProps): ReactElement {
  const { client } = useOperator();
  const [kind, setKind] = useState<MovementKind>("deposit");
  const paged = usePages<Row, number>(`movements ${uid} ${kind} ${version}`, (after, signal) =>
    fetchMovements(client, kind, uid, after, signal),
  );
  return (
    <Panel
      title="Fund movements by operators"
      flush
      actions={<Segments label="Fund movements" value={kind} options={KINDS} onValue={setKind} />}
    >
      <QueryTable
        label="Fund movements"
        query={paged.query}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty="None yet."
      />
      <Pager what="movements" paged={paged} />
    </Panel>
  );
}

async function fetchMovements(
  client: OperatorClient,
  kind: MovementKind,
  uid: number,
  after: number | undefined,
  signal: AbortSignal,
): Promise<Page<Row, number>> {
  const input = { uid, limit: LIMIT, ...(after === undefined ? {} : { after }) };
  if (kind === "transfer") {
    const { items, next } = await client.listTransfers(input, { signal });
    return {
      next,
      items: items.map((item) => ({ ...item, wallets: `${item.from} → ${item.to}` })),
    };
  }
  const { items, next } =
    kind === "deposit"
      ? await client.listDeposits(input, { signal })
      : await client.listWithdrawals(input, { signal });
  return { next, items: items.map((item) => ({ ...item, wallets: item.account })) };
}

const COLUMNS: readonly Column<Row>[] = [
  { id: "time", header: "Exchange time", cell: ({ time }) => utcTime(time) },
  { id: "wallet", header: "Wallet", cell: ({ wallets }) => wallets },
  {
    id: "amount",
    header: "Amount",
    align: "right",
    cell: ({ amount, asset }) => `${groupDecimal(amount)} ${asset}`,
  },
  { id: "id", header: "ID", cell: ({ id }) => <code>{id}</code> },
];
