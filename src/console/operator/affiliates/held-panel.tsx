/** Commissions held for review, to be released or reversed. */
import { type ReactElement, useMemo, useState } from "react";
import { Link } from "wouter";
import type { ListHeldCommissionsAnswer, OperatorClient } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Field } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { utcTime } from "../../data/utc.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { Badge } from "../components/badge.tsx";
import { ConfirmButton } from "../components/confirm-button.tsx";
import layout from "../components/layout.module.css";
import { Pager, usePages } from "../components/paging.tsx";
import { useOperator } from "../session/operator-session.tsx";
import { CommissionDialog } from "./commission-dialog.tsx";

type Held = ListHeldCommissionsAnswer["items"][number];

const LIMIT = 50;

export interface HeldPanelProps {
  /** A new value refreshes them. */
  readonly version: number;
  readonly onChange: () => void;
}

export function HeldPanel({ version, onChange }: HeldPanelProps): ReactElement {
  const { client } = useOperator();
  const [affiliate, setAffiliate] = useState("");
  const [looked, setLooked] = useState<number | null>(null);
  const isUid = /^[1-9]\d{0,15}$/.test(affiliate);
  const paged = usePages<Held, number>(
    `held ${version} ${isUid ? affiliate : ""}`,
    (after, signal) =>
      client.listHeldCommissions(
        {
          limit: LIMIT,
          ...(after === undefined ? {} : { after }),
          ...(isUid ? { affiliateUid: Number(affiliate) } : {}),
        },
        { signal },
      ),
  );
  const columns = useMemo(() => columnsOf(client, setLooked, onChange), [client, onChange]);
  return (
    <Panel
      title="Held commissions"
      flush
      actions={
        <>
          <Field
            label={<span className="visually-hidden">Filter by affiliate</span>}
            placeholder="Affiliate UID"
            inputMode="numeric"
            value={affiliate}
            onText={(text) => setAffiliate(text.trim())}
          />
          <LookUp onLook={setLooked} />
        </>
      }
    >
      <QueryTable
        label="Held commissions"
        query={paged.query}
        columns={columns}
        rowKey={({ commissionId }) => commissionId}
        empty="No held commissions."
      />
      <Pager what="held commissions" paged={paged} />
      {looked === null ? null : (
        <CommissionDialog
          commissionId={looked}
          onClose={() => setLooked(null)}
          onChange={onChange}
        />
      )}
    </Panel>
  );
}

/** Opens any commission by its ID. */
function LookUp({ onLook }: { readonly onLook: (commissionId: number) => void }): ReactElement {
  const [text, setText] = useState("");
  const isId = /^[1-9]\d{0,15}$/.test(text);
  return (
    <form
      className={layout.inline}
      onSubmit={(event) => {
        event.preventDefault();
        if (isId) onLook(Number(text));
      }}
    >
      <Field
        label={<span className="visually-hidden">Commission ID</span>}
        placeholder="Commission ID"
        inputMode="numeric"
        value={text}
        onText={(typed) => setText(typed.trim())}
      />
      <Button type="submit" disabled={!isId}>
        Look up
      </Button>
    </form>
  );
}

function columnsOf(
  client: OperatorClient,
  onLook: (commissionId: number) => void,
  onChange: () => void,
): readonly Column<Held>[] {
  return [
    {
      id: "id",
      header: "Commission",
      cell: ({ commissionId }) => (
        <Button size="small" tone="quiet" onClick={() => onLook(commissionId)}>
          {commissionId}
        </Button>
      ),
    },
    { id: "time", header: "Exchange time", cell: ({ time }) => utcTime(time) },
    {
      id: "affiliate",
      header: "Affiliate",
      cell: ({ affiliateUid }) => <Link href={`/users/${affiliateUid}`}>{affiliateUid}</Link>,
    },
    {
      id: "trader",
      header: "Trader",
      cell: ({ traderUid }) => <Link href={`/users/${traderUid}`}>{traderUid}</Link>,
    },
    { id: "market", header: "Market", cell: ({ symbol, product }) => `${symbol}, ${product}` },
    {
      id: "amount",
      header: "Amount",
      align: "right",
      cell: ({ amount, asset }) => `${groupDecimal(amount)} ${asset}`,
    },
    {
      id: "flags",
      header: "Reason",
      cell: ({ flags }) => (
        <span className={layout.rowActions}>
          {flags.map((flag) => (
            <Badge key={flag} tone="warn">
              {flag}
            </Badge>
          ))}
        </span>
      ),
    },
    {
      id: "actions",
      header: <span className="visually-hidden">Actions</span>,
      align: "right",
      pinned: true,
      cell: (held) => <ReleaseAction held={held} client={client} onDone={onChange} />,
    },
  ];
}

interface ReleaseActionProps {
  readonly held: Held;
  readonly client: OperatorClient;
  readonly onDone: () => void;
}

function ReleaseAction({ held, client, onDone }: ReleaseActionProps): ReactElement {
  const { commissionId, affiliateUid, amount, asset } = held;
  const paid = `${groupDecimal(amount)} ${asset}`;
  const release = async (reason: string): Promise<string> => {
    await client.releaseCommission({ commissionId, reason });
    return `Commission ${commissionId} released`;
  };
  return (
    <ConfirmButton
      asksReason
      label={`Release commission ${commissionId}`}
      title={`Release commission ${commissionId}`}
      consequence={`${paid} will be paid to affiliate ${affiliateUid} in the next settlement.`}
      confirm="Release"
      act={release}
      onDone={onDone}
    >
      Release
    </ConfirmButton>
  );
}
