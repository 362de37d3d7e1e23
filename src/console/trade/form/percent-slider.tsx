/** Sets the quantity as a percentage of the available funds. */
import { type ReactElement, useState } from "react";
import { compare } from "../../decimals/arithmetic.ts";
import styles from "./form.module.css";
import { type Funds, type OrderFacts, quantityForPercent } from "./order-cost.ts";
import type { Draft } from "./order-draft.ts";
import { sizeOf, type TypedDraft } from "./typed-draft.ts";

export const MARKS = [25, 50, 75, 100] as const;

export interface PercentSliderProps {
  readonly typed: TypedDraft;
  readonly draft: Draft;
  /** Expected execution price. */
  readonly price: string;
  readonly funds: Funds;
  readonly facts: OrderFacts;
  readonly onChange: (part: Partial<TypedDraft>) => void;
}

export function PercentSlider(props: PercentSliderProps): ReactElement {
  const { typed, draft, price, funds, facts, onChange } = props;
  const [chosen, setChosen] = useState({ percent: 0, size: "" });
  const choose = (share: number): void => {
    const found = quantityForPercent(draft, share, price, funds, facts);
    const size = compare(found, "0") === 0 ? "" : sizeOf(found, typed.sizeUnit, price, facts);
    setChosen({ percent: share, size });
    onChange({ quantity: size });
  };
  // No funds, no position or no price.
  const isNothing = compare(quantityForPercent(draft, 100, price, funds, facts), "0") === 0;
  // A typed quantity is not a chosen percentage.
  const shown = typed.quantity === chosen.size && typed.quantity !== "" ? chosen.percent : 0;
  return (
    <div className={styles.share}>
      <input
        type="range"
        min={0}
        max={100}
        step={1}
        value={shown}
        disabled={isNothing}
        aria-label="Percent of available funds"
        onChange={(event) => choose(Number(event.target.value))}
      />
      <div className={styles.marks}>
        {MARKS.map((mark) => (
          <button
            key={mark}
            type="button"
            className={styles.mark}
            disabled={isNothing}
            aria-pressed={shown === mark}
            onClick={() => choose(mark)}
          >
            {mark}%
          </button>
        ))}
      </div>
    </div>
  );
}
