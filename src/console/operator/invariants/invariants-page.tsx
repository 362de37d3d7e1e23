/** Whether everything that must always hold does, checked on the whole state when asked. */
import { type ReactElement, useMemo } from "react";
import type { GetInvariantsAnswer } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { groupDecimal } from "../../components/decimal-text.ts";
import { Notice, Panel } from "../../components/panel.tsx";
import { usePolled } from "../../live/polled.ts";
import { Asked } from "../parts/asked.tsx";
import { Badge } from "../parts/badge.tsx";
import { countText } from "../parts/format.ts";
import parts from "../parts/parts.module.css";
import { useOperator } from "../session/operator-session.tsx";
import { type AssetTotals, accountNames, toAssetTotals } from "./asset-totals.ts";
import styles from "./invariants-page.module.css";

/** It walks the whole state, so not more often. */
const INTERVAL_MS = 30_000;
const TIMEOUT_MS = 60_000;

export function InvariantsPage(): ReactElement {
  const { client } = useOperator();
  const polled = usePolled(
    "invariants",
    (signal) => client.getInvariants({ signal, timeoutMs: TIMEOUT_MS }),
    INTERVAL_MS,
  );
  return (
    <div className={parts.page}>
      <h1 className="visually-hidden">Invariants</h1>
      <Asked what="The invariants" polled={polled}>
        {(answer) => <Verdict answer={answer} onCheck={polled.refresh} />}
      </Asked>
    </div>
  );
}

interface VerdictProps {
  readonly answer: GetInvariantsAnswer;
  readonly onCheck: () => void;
}

function Verdict({ answer, onCheck }: VerdictProps): ReactElement {
  const { ok, sequence, stateHash, violations, totals } = answer;
  const rows = useMemo(() => toAssetTotals(totals), [totals]);
  const columns = useMemo(() => columnsOf(accountNames(totals)), [totals]);
  const unconserved = rows.filter(({ isConserved }) => !isConserved).length;
  const isSound = ok && unconserved === 0;
  return (
    <>
      <section className={styles.verdict} data-ok={isSound} aria-label="Verdict">
        <span className={styles.sign} aria-hidden="true">
          {isSound ? "✓" : "✕"}
        </span>
        <div className={styles.words}>
          <h2 className={styles.headline}>
            <span role="status">{isSound ? "The venue is sound" : "The venue is not sound"}</span>
          </h2>
          <p>
            {isSound
              ? "Everything that must always hold does, and every asset sums to zero"
              : `Broken: ${violations.length} rules and ${unconserved} sums of assets`}
            {` at sequence ${countText(sequence)}.`}
          </p>
        </div>
        <Button onClick={onCheck}>Check now</Button>
      </section>
      {violations.length === 0 ? null : (
        <Panel title="What is broken">
          <ul className={styles.violations}>
            {violations.map((violation) => (
              <li key={violation}>{violation}</li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel title="Conservation: every asset, by ledger account" flush>
        <DataTable
          label="Totals by asset"
          columns={columns}
          rows={rows}
          rowKey={({ asset }) => asset}
          empty={<Notice kind="empty">No asset is listed yet.</Notice>}
        />
      </Panel>
      <Panel title="State hash" actions={<CopyButton text={stateHash} what="state hash" />}>
        <code className={styles.hash}>{stateHash}</code>
        <p className={parts.dim}>
          Of the whole state at this sequence: a replay of the journal up to it gives the same hash.
        </p>
      </Panel>
    </>
  );
}

function columnsOf(accounts: readonly string[]): readonly Column<AssetTotals>[] {
  return [
    { id: "asset", header: "Asset", cell: ({ asset }) => <strong>{asset}</strong> },
    {
      id: "sum",
      header: "Sum",
      align: "right",
      cell: ({ sum, isConserved }) => (
        <Badge tone={isConserved ? "good" : "bad"}>{groupDecimal(sum)}</Badge>
      ),
    },
    ...accounts.map((account) => ({
      id: account,
      header: account,
      align: "right" as const,
      cell: ({ totals }: AssetTotals) => {
        const total = totals[account] ?? "0";
        return <span className={total === "0" ? parts.dim : undefined}>{groupDecimal(total)}</span>;
      },
    })),
  ];
}
