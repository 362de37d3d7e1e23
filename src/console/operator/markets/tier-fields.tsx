/** The risk tiers of a contract: larger positions need more margin. */
import type { ReactElement } from "react";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import layout from "../components/layout.module.css";
import type { Tier } from "./market-kind.ts";
import styles from "./tier-fields.module.css";

export const FIRST_TIER: Tier = {
  maxNotional: "100000",
  maintenanceMarginRate: "0.005",
  maxLeverage: 100,
};

export interface TierFieldsProps {
  readonly tiers: readonly Tier[];
  readonly error: string | null;
  readonly onTiers: (tiers: readonly Tier[]) => void;
}

export function TierFields({ tiers, error, onTiers }: TierFieldsProps): ReactElement {
  const change = (at: number, part: Partial<Tier>): void =>
    onTiers(tiers.map((tier, i) => (i === at ? { ...tier, ...part } : tier)));
  return (
    <fieldset className={layout.group}>
      <legend>Tiers by position value</legend>
      {tiers.map((tier, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a tier is identified by its place
        <div key={i} className={styles.tier}>
          <Field
            label={`Tier ${i + 1}: max. position value`}
            value={tier.maxNotional}
            onText={(maxNotional) => change(i, { maxNotional })}
          />
          <Field
            label="Maintenance margin rate"
            value={tier.maintenanceMarginRate}
            onText={(maintenanceMarginRate) => change(i, { maintenanceMarginRate })}
          />
          <Field
            label="Max. leverage"
            type="number"
            min={1}
            value={tier.maxLeverage}
            onText={(text) => change(i, { maxLeverage: Number(text) })}
          />
          <Button
            size="small"
            aria-label={`Remove tier ${i + 1}`}
            disabled={tiers.length === 1}
            onClick={() => onTiers(tiers.filter((_, at) => at !== i))}
          >
            ✕
          </Button>
        </div>
      ))}
      {error === null ? null : (
        <p role="alert" className={layout.failure}>
          {error}
        </p>
      )}
      <Button size="small" onClick={() => onTiers([...tiers, tiers.at(-1) ?? FIRST_TIER])}>
        Add a tier
      </Button>
    </fieldset>
  );
}
