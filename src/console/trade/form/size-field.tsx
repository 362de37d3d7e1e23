/** The order's size in the base asset, as value or as cost, and the most that the funds allow. */
import type { ReactElement } from "react";
import { Field } from "../../components/field.tsx";
import { compare, isAmount, times } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { useMarket } from "../market.tsx";
import styles from "./form.module.css";
import { type Funds, type OrderFacts, quantityForPercent } from "./order-cost.ts";
import type { Draft } from "./order-draft.ts";
import { parseAmount } from "./parse-amount.ts";
import { type SizeUnit, sizeOf, type TypedDraft } from "./typed-draft.ts";

const STORED = "rialto.size-unit";
const VALUE_DECIMALS = 2;

export interface SizeFieldProps {
  readonly typed: TypedDraft;
  readonly draft: Draft;
  /** Expected execution price. */
  readonly price: string;
  readonly funds: Funds;
  readonly facts: OrderFacts;
  readonly problem: string | undefined;
  readonly onChange: (part: Partial<TypedDraft>) => void;
}

export function SizeField(props: SizeFieldProps): ReactElement {
  const { typed, draft, price, funds, facts, problem, onChange } = props;
  const { baseAsset, stepSize } = useMarket().rules;
  const most = quantityForPercent(draft, 100, price, funds, facts);
  const take = (): void => onChange({ quantity: sizeOf(most, typed.sizeUnit, price, facts) });
  return (
    <Field
      name="quantity"
      label="Quantity"
      inputMode="decimal"
      value={typed.quantity}
      error={problem}
      hint={hintOf(props)}
      unit={<UnitChoice {...props} />}
      actions={
        <button
          type="button"
          className={styles.priceButton}
          disabled={compare(most, "0") === 0}
          title={`Step size ${stepSize}`}
          onClick={take}
        >
          Max{compare(most, "0") === 0 ? "" : ` ${groupDecimal(most)} ${baseAsset}`}
        </button>
      }
      onText={(text) => onChange({ quantity: parseAmount(text) })}
    />
  );
}

function hintOf({ typed, draft, price, facts }: SizeFieldProps): string {
  const { baseAsset, quoteAsset, stepSize } = facts.rules;
  if (!isAmount(draft.quantity) || Number(price) === 0) return `Step size ${stepSize}`;
  if (typed.sizeUnit !== "BASE") return `= ${groupDecimal(draft.quantity)} ${baseAsset}`;
  return `≈ ${groupDecimal(times(price, draft.quantity), VALUE_DECIMALS)} ${quoteAsset}`;
}

/** A change of the unit keeps the quantity. */
function UnitChoice({ typed, draft, price, facts, onChange }: SizeFieldProps): ReactElement {
  const { product, baseAsset, quoteAsset } = facts.rules;
  const choose = (sizeUnit: SizeUnit): void => {
    localStorage.setItem(STORED, sizeUnit);
    onChange({ sizeUnit, quantity: sizeOf(draft.quantity, sizeUnit, price, facts) });
  };
  return (
    <select
      className={styles.unit}
      aria-label="Unit of the quantity"
      value={typed.sizeUnit}
      onChange={(event) => choose(event.target.value as SizeUnit)}
    >
      <option value="BASE">{baseAsset}</option>
      <option value="QUOTE">{quoteAsset}</option>
      {product === "contract" && !typed.closes ? (
        <option value="COST">Cost ({quoteAsset})</option>
      ) : null}
    </select>
  );
}

/** The user's last choice; cost is for contracts alone. */
export function storedSizeUnit(product: "spot" | "contract"): SizeUnit {
  const stored = localStorage.getItem(STORED);
  if (stored === "QUOTE") return stored;
  return stored === "COST" && product === "contract" ? stored : "BASE";
}
