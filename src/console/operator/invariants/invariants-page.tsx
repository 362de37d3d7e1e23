/** Checks the exchange's invariants on its whole state. */
import { type ReactElement, useMemo } from "react";
import type { GetInvariantsAnswer } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Notice, Panel } from "../../components/panel.tsx";
import { QueryView } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { countText } from "../components/format.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";
import { AssetCard } from "./asset-card.tsx";
import { toAssetTotals } from "./asset-totals.ts";
import styles from "./invariants-page.module.css";

/** Each check scans the whole state. */
const INTERVAL_MS = 30_000;
const TIMEOUT_MS = 60_000;

export function InvariantsPage(): ReactElement {
  const { client } = useOperator();
  const query = useQuery(
    "invariants",
    (signal) => client.getInvariants({ signal, timeoutMs: TIMEOUT_MS }),
    INTERVAL_MS,
  );
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Invariants</h1>
      <QueryView what="the invariants" query={query}>
        {(answer) => <Verdict answer={answer} onCheck={query.refresh} />}
      </QueryView>
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
  const unconserved = rows.filter(({ isConserved }) => !isConserved).length;
  const isSound = ok && unconserved === 0;
  return (
    <>
      <section className={styles.verdict} data-ok={isSound} aria-label="Verdict">
        <span className={styles.sign} aria-hidden="true">
          {isSound ? "✓" : "✕"}
        </span>
        <div className={styles.words} role="status">
          <h2 className={styles.headline}>
            {isSound ? "All invariants hold" : "Invariants violated"}
          </h2>
          <p>
            {isSound
              ? "Every check passed and every asset sums to zero"
              : `Failed: ${brokenText(violations.length, unconserved)}`}
            {` at sequence ${countText(sequence)}.`}
          </p>
        </div>
        <Button onClick={onCheck}>Check now</Button>
      </section>
      {violations.length === 0 ? null : (
        <Panel title="Violations">
          <ul className={styles.violations}>
            {violations.map((violation) => (
              <li key={violation}>{violation}</li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel title="Asset totals by ledger account">
        {rows.length === 0 ? (
          <Notice kind="empty">No assets listed yet.</Notice>
        ) : (
          <div className={styles.assets}>
            {rows.map((row) => (
              <AssetCard key={row.asset} {...row} />
            ))}
          </div>
        )}
      </Panel>
      <Panel title="State hash" actions={<CopyButton text={stateHash} what="state hash" />}>
        <code className={styles.hash}>{stateHash}</code>
        <p className={layout.dim}>
          Hash of the whole state at this sequence. Replaying the journal to this point gives the
          same hash.
        </p>
      </Panel>
    </>
  );
}

/** "2 rules and the sum of 1 asset" */
function brokenText(rules: number, sums: number): string {
  const ruleText = rules === 1 ? "1 rule" : `${rules} rules`;
  const sumText = sums === 1 ? "the sum of 1 asset" : `the sums of ${sums} assets`;
  if (rules === 0) return sumText;
  return sums === 0 ? ruleText : `${ruleText} and ${sumText}`;
}
