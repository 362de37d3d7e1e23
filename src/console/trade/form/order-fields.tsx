/** Price, quantity and trigger fields of the order form. */
import type { ReactElement } from "react";
import { Choice, Field } from "../../components/field.tsx";
import { isAmount } from "../../decimals/arithmetic.ts";
import { useMarket } from "../market.tsx";
import { ExitFields, TRIGGER_SOURCES } from "./exit-fields.tsx";
import styles from "./form.module.css";
import type { Funds, OrderFacts } from "./order-cost.ts";
import {
  type Draft,
  type DraftField,
  hasPrice,
  isConditional,
  isTrailing,
  mayAttach,
  type Problems,
} from "./order-draft.ts";
import { parseAmount } from "./parse-amount.ts";
import { PriceButtons } from "./price-buttons.tsx";
import { distanceText } from "./price-distance.ts";
import { SizeField } from "./size-field.tsx";
import type { TypedDraft } from "./typed-draft.ts";

export interface OrderFieldsProps {
  readonly typed: TypedDraft;
  /** What the typed values mean. */
  readonly draft: Draft;
  /** Expected execution price, "0" while it is unknown. */
  readonly price: string;
  readonly funds: Funds;
  readonly facts: OrderFacts;
  readonly problems: Problems;
  /** Null before the first. */
  readonly lastPrice: string | null;
  readonly onChange: (part: Partial<TypedDraft>) => void;
}

export function OrderFields(props: OrderFieldsProps): ReactElement {
  const { typed, draft, problems, lastPrice, onChange } = props;
  const { rules } = useMarket();
  const { kind } = draft;
  const amount: AmountField = (field, label, unit, more = {}) => (
    <Field
      {...more}
      name={field}
      label={label}
      unit={unit}
      inputMode="decimal"
      value={typed[field]}
      error={problems[field]}
      onText={(text) => onChange({ [field]: parseAmount(text) })}
    />
  );
  const { quoteAsset, tickSize } = rules;
  return (
    <>
      {isConditional(kind) && !isTrailing(kind) ? (
        <div className={styles.pair}>
          {amount("triggerPrice", "Trigger price", quoteAsset)}
          <Choice
            label="Trigger by"
            value={typed.trigger}
            options={TRIGGER_SOURCES}
            onValue={(trigger) => onChange({ trigger })}
          />
        </div>
      ) : null}
      {isTrailing(kind) ? (
        <div className={styles.pair}>
          {amount("callbackRate", "Callback rate", "%")}
          {amount("activationPrice", "Activation price", quoteAsset, {
            hint: "Leave empty to activate now",
          })}
        </div>
      ) : null}
      {hasPrice(kind)
        ? amount("price", "Price", quoteAsset, {
            hint: priceHint(draft.price, lastPrice, tickSize),
            actions: (
              <PriceButtons lastPrice={lastPrice} onPrice={(price) => onChange({ price })} />
            ),
          })
        : null}
      <SizeField {...props} problem={problems.quantity} />
    </>
  );
}

/** Take-profit and stop-loss, where the order can have them. */
export function AttachedFields(props: OrderFieldsProps): ReactElement | null {
  const { rules } = useMarket();
  return mayAttach(rules, props.draft) ? <ExitFields {...props} entry={props.price} /> : null;
}

type AmountField = (
  field: DraftField,
  label: string,
  unit: string,
  more?: { readonly hint?: string; readonly actions?: ReactElement },
) => ReactElement;

function priceHint(price: string, lastPrice: string | null, tickSize: string): string {
  if (!isAmount(price) || lastPrice === null) return `Tick size ${tickSize}`;
  return distanceText(price, lastPrice);
}
