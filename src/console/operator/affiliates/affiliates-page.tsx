/** The affiliate programme: tree, policy, held commissions, next settlement. */
import { type ReactElement, useMemo, useState } from "react";
import { Link } from "wouter";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { utcTime } from "../../data/utc.ts";
import { groupDecimal, rateText } from "../../decimals/format.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";
import { AffiliateDialog } from "./affiliate-dialog.tsx";
import { type TreeRow, treeRows } from "./affiliate-tree.ts";
import styles from "./affiliates-page.module.css";
import { type Affiliate, fetchAllAffiliates } from "./all-affiliates.ts";
import { HeldPanel } from "./held-panel.tsx";
import { PolicyPanel } from "./policy-panel.tsx";
import { SettlementPanel } from "./settlement-panel.tsx";

type Row = TreeRow<Affiliate>;

export function AffiliatesPage(): ReactElement {
  const { client } = useOperator();
  /** Undefined while no dialog is open; null for a new affiliate. */
  const [edited, setEdited] = useState<Affiliate | null | undefined>(undefined);
  // Grows with every change to commissions, which refreshes lists and balances.
  const [version, setVersion] = useState(0);
  const changed = (): void => setVersion((before) => before + 1);
  const query = useQuery(
    "affiliates",
    (signal) => fetchAllAffiliates(client, signal),
    null,
    version,
  );
  const rows = query.answer === null ? null : treeRows(query.answer.affiliates);
  const columns = useMemo(() => columnsOf(setEdited), []);
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Affiliates</h1>
      <Panel
        title="Affiliates"
        flush
        actions={
          <Button size="small" tone="accent" onClick={() => setEdited(null)}>
            Add affiliate
          </Button>
        }
      >
        <QueryTable
          label="Affiliates"
          query={{ ...query, answer: rows }}
          columns={columns}
          rowKey={({ member }) => member.uid}
          empty="No affiliates yet."
        />
        {query.answer?.isCut === true ? (
          <p className={layout.note}>
            Showing the first {rows?.length} by UID. Use the operator API for the rest.
          </p>
        ) : null}
      </Panel>
      <HeldPanel version={version} onChange={changed} />
      <div className={layout.columns}>
        <SettlementPanel version={version} onChange={changed} />
        <PolicyPanel />
      </div>
      {edited === undefined ? null : (
        <AffiliateDialog affiliate={edited} onClose={() => setEdited(undefined)} onDone={changed} />
      )}
    </div>
  );
}

function columnsOf(onEdit: (affiliate: Affiliate) => void): readonly Column<Row>[] {
  return [
    {
      id: "uid",
      header: "Affiliate",
      cell: ({ member, depth, descendants }) => (
        <span className={styles.branch}>
          <span className={styles.indent} aria-hidden="true">
            {depth === 0 ? "" : `${"\u2003\u2003".repeat(depth - 1)}└─ `}
          </span>
          <span className="visually-hidden">Level {depth + 1}: </span>
          <Link href={`/users/${member.uid}`}>{member.uid}</Link>
          {descendants === 0 ? null : <span className={layout.dim}> {descendants} below</span>}
        </span>
      ),
    },
    {
      id: "spot",
      header: "Spot rate",
      align: "right",
      cell: ({ member }) => rateText(member.spotRate),
    },
    {
      id: "futures",
      header: "Contract rate",
      align: "right",
      cell: ({ member }) => rateText(member.futuresRate),
    },
    {
      id: "since",
      header: "Rates since",
      cell: ({ member }) => `${utcTime(member.ratesSince)}, version ${member.rateVersion}`,
    },
    {
      id: "balances",
      header: "Payable",
      align: "right",
      cell: ({ member }) => <Balances balances={member.balances} />,
    },
    {
      id: "actions",
      header: <span className="visually-hidden">Actions</span>,
      align: "right",
      pinned: true,
      cell: ({ member }) => (
        <Button
          size="small"
          aria-label={`Edit affiliate ${member.uid}`}
          onClick={() => onEdit(member)}
        >
          Edit
        </Button>
      ),
    },
  ];
}

/** One line; the pending settlement lists every coin. */
function Balances({ balances }: Pick<Affiliate, "balances">): ReactElement {
  const first = balances.find(({ asset }) => asset === "USDT") ?? balances[0];
  if (first === undefined) return <span className={layout.dim}>none</span>;
  const { asset, payable, held, owed } = first;
  const others = balances.length - 1;
  return (
    <>
      {groupDecimal(payable)} {asset}
      <span className={layout.dim}>
        {held === "0" ? null : `, held ${groupDecimal(held)}`}
        {owed === "0" ? null : `, owes ${groupDecimal(owed)}`}
        {others === 0 ? null : ` and ${others} other ${others === 1 ? "coin" : "coins"}`}
      </span>
    </>
  );
}
