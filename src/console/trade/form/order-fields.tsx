/** The amounts of an order. */
import { type ReactElement, useState } from "react";
import { isAmount, times } from "../../amounts/exact.ts";
import { groupDecimal } from "../../components/decimal-text.ts";
import { Field, Switch } from "../../components/field.tsx";
import { useDesk } from "../desk.tsx";
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

export interface OrderFieldsProps {
  readonly draft: Draft;
  readonly problems: Problems;
  readonly onChange: (part: Partial<Draft>) => void;
}

export function OrderFields({ draft, problems, onChange }: OrderFieldsProps): ReactElement {
  const { rules } = useDesk();
  const { kind } = draft;
  const amount = (field: DraftField, label: string, unit: string, hint?: string): ReactElement => (
    <Field
      label={label}
      unit={unit}
      hint={hint}
      inputMode="decimal"
      value={draft[field]}
      error={problems[field]}
      onText={(text) => onChange({ [field]: text.replace(",", ".").trim() })}
    />
  );
  const { quoteAsset, baseAsset, tickSize, stepSize } = rules;
  const value =
    hasPrice(kind) && isAmount(draft.price) && isAmount(draft.quantity)
      ? `≈ ${groupDecimal(times(draft.price, draft.quantity), 2)} ${quoteAsset}`
      : `in steps of ${stepSize}`;
  return (
    <>
      {isConditional(kind) && !isTrailing(kind)
        ? amount("triggerPrice", "Trigger price (last)", quoteAsset)
        : null}
      {isTrailing(kind) ? (
        <div className={styles.pair}>
          {amount("callbackRate", "Callback", "%")}
          {amount("activationPrice", "Activation price", quoteAsset, "Empty: at once")}
        </div>
      ) : null}
      {hasPrice(kind) ? amount("price", "Price", quoteAsset, `in steps of ${tickSize}`) : null}
      {amount("quantity", "Quantity", baseAsset, value)}
      {mayAttach(rules, draft) ? (
        <AttachedFields draft={draft} onChange={onChange} amount={amount} />
      ) : null}
    </>
  );
}

interface AttachedFieldsProps extends Pick<OrderFieldsProps, "draft" | "onChange"> {
  readonly amount: (field: DraftField, label: string, unit: string) => ReactElement;
}

function AttachedFields({ draft, onChange, amount }: AttachedFieldsProps): ReactElement {
  const { rules } = useDesk();
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
