/** An asset's totals by ledger account, green if they sum to zero, else red. */
import type { ReactElement } from "react";
import { Figure, Figures } from "../../components/figures.tsx";
import { groupDecimal } from "../../decimals/format.ts";
import layout from "../components/layout.module.css";
import type { AssetTotals } from "./asset-totals.ts";
import styles from "./invariants-page.module.css";

export function AssetCard({ asset, sum, isConserved, filled, empty }: AssetTotals): ReactElement {
  return (
    <section className={styles.asset} data-ok={isConserved} aria-label={`Totals of ${asset}`}>
      <h3 className={styles.assetName}>
        {asset}
        <span className={styles.sum}>
          <span aria-hidden="true">{isConserved ? "✓" : "✕"}</span> sum {groupDecimal(sum)}
        </span>
      </h3>
      <Figures label={`Accounts of ${asset}`} shape="rows">
        {filled.map(({ account, total }) => (
          <Figure key={account} name={account}>
            {groupDecimal(total)}
          </Figure>
        ))}
      </Figures>
      {empty === 0 ? null : (
        <p className={layout.dim}>
          {filled.length === 0 ? "" : "and "}
          {empty} {empty === 1 ? "account" : "accounts"} at 0
        </p>
      )}
    </section>
  );
}
