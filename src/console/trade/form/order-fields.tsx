/** Price, quantity and trigger fields of the order form. */
import { type ReactElement, useState } from "react";
import { Field, Switch } from "../../components/field.tsx";
import { isAmount, times } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { useMarket } from "../market.tsx";
import styles from "./form.module.css";
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

export interface OrderFieldsProps {
  readonly draft: Draft;
  readonly problems: Problems;
  /** Null before the first. */
  readonly lastPrice: string | null;
  readonly onChange: (part: Partial<Draft>) => void;
}

export function OrderFields(props: OrderFieldsProps): ReactElement {
  const { draft, problems, lastPrice, onChange } = props;
  const { rules } = useMarket();
  const { kind } = draft;
  const amount: AmountField = (field, label, unit, more = {}) => (
    <Field
      {...more}
      name={field}
      label={label}
      unit={unit}
      inputMode="decimal"
      value={draft[field]}
      error={problems[field]}
      onText={(text) => onChange({ [field]: parseAmount(text) })}
    />
  );
  const { quoteAsset, baseAsset, tickSize, stepSize } = rules;
  const value =
    hasPrice(kind) && isAmount(draft.price) && isAmount(draft.quantity)
      ? `≈ ${groupDecimal(times(draft.price, draft.quantity), 2)} ${quoteAsset}`
      : `Step size ${stepSize}`;
  return (
    <>
      {isConditional(kind) && !isTrailing(kind)
        ? amount("triggerPrice", "Trigger price (last price)", quoteAsset)
        : null}
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
      {amount("quantity", "Quantity", baseAsset, { hint: value })}
      {mayAttach(rules, draft) ? (
        <AttachedFields draft={draft} onChange={onChange} amount={amount} />
      ) : null}
    </>
  );
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

interface AttachedFieldsProps extends Pick<OrderFieldsProps, "draft" | "onChange"> {
  readonly amount: AmountField;
}

function AttachedFields({ draft, onChange, amount }: AttachedFieldsProps): ReactElement {
  const { rules } = useMarket();
  const [open, setOpen] = useState(draft.takeProfit !== "" || draft.stopLoss !== "");
  const toggle = (on: boolean): void => {
    setOpen(on);
    if (!on) onChange({ takeProfit: "", stopLoss: "" });
  };
  return (
    <>
      <Switch label="Take-profit / stop-loss" checked={open} onChange={toggle} />
      {open ? (
        <div className={styles.pair}>
          {amount("takeProfit", "Take-profit", rules.quoteAsset)}
          {amount("stopLoss", "Stop-loss", rules.quoteAsset)}
        </div>
      ) : null}
    </>
  );
}
