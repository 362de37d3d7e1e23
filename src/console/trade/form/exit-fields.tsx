/** Take-profit and stop-loss of an opening order: by price, by percent or by return on margin. */
import { type ReactElement, useState } from "react";
import { Choice, Field, Segments, Switch } from "../../components/field.tsx";
import { compare, dividedDown, isAmount, minus, times } from "../../decimals/arithmetic.ts";
import { groupDecimal, MONEY_DECIMALS } from "../../decimals/format.ts";
import styles from "./form.module.css";
import type { OrderFacts } from "./order-cost.ts";
import { type Draft, type Problems, positionSideOf, type TriggerSource } from "./order-draft.ts";
import { parseAmount } from "./parse-amount.ts";
import { type ExitUnit, exitTextOf, type TypedDraft } from "./typed-draft.ts";

export const EXIT_UNITS = [
  { value: "PRICE", text: "Price" },
  { value: "PERCENT", text: "%" },
  { value: "ROI", text: "ROI %" },
] as const;

export const TRIGGER_SOURCES: readonly { value: TriggerSource; text: string }[] = [
  { value: "CONTRACT_PRICE", text: "Last price" },
  { value: "MARK_PRICE", text: "Mark price" },
];

const PERCENT_DECIMALS = 2;

export interface ExitFieldsProps {
  readonly typed: TypedDraft;
  readonly draft: Draft;
  readonly problems: Problems;
  /** Where the order would open. */
  readonly entry: string;
  readonly facts: OrderFacts;
  readonly onChange: (part: Partial<TypedDraft>) => void;
}

export function ExitFields(props: ExitFieldsProps): ReactElement {
  const { typed, draft, entry, facts, onChange } = props;
  const [open, setOpen] = useState(typed.takeProfit !== "" || typed.stopLoss !== "");
  const toggle = (on: boolean): void => {
    setOpen(on);
    if (!on) onChange({ takeProfit: "", stopLoss: "" });
  };
  const chooseUnit = (exitUnit: ExitUnit): void => {
    const textOf = (price: string): string => exitTextOf(price, exitUnit, entry, facts);
    const { takeProfit, stopLoss } = draft;
    onChange({ exitUnit, takeProfit: textOf(takeProfit), stopLoss: textOf(stopLoss) });
  };
  return (
    <>
      <Switch label="Take-profit / stop-loss" checked={open} onChange={toggle} />
      {open ? (
        <>
          <Segments
            label="Take-profit and stop-loss by"
            value={typed.exitUnit}
            options={EXIT_UNITS}
            onValue={chooseUnit}
          />
          <div className={styles.pair}>
            <ExitField {...props} field="takeProfit" label="Take-profit" />
            <ExitField {...props} field="stopLoss" label="Stop-loss" />
          </div>
          <Choice
            label="Trigger by"
            value={typed.exitTrigger}
            options={TRIGGER_SOURCES}
            onValue={(exitTrigger) => onChange({ exitTrigger })}
          />
        </>
      ) : null}
    </>
  );
}

interface ExitFieldProps extends ExitFieldsProps {
  readonly field: "takeProfit" | "stopLoss";
  readonly label: string;
}

function ExitField(props: ExitFieldProps): ReactElement {
  const { typed, draft, problems, entry, facts, field, label, onChange } = props;
  const { quoteAsset } = facts.rules;
  return (
    <Field
      name={field}
      label={label}
      unit={typed.exitUnit === "PRICE" ? quoteAsset : "%"}
      inputMode="decimal"
      value={typed[field]}
      error={problems[field]}
      hint={exitHint(draft, draft[field], entry, typed.exitUnit, facts)}
      onText={(text) => onChange({ [field]: parseAmount(text) })}
    />
  );
}

/** "95,000 · +12.34 USDT": where it would trigger, and what closing there would bring. */
function exitHint(
  draft: Draft,
  price: string,
  entry: string,
  unit: ExitUnit,
  { rules }: OrderFacts,
): string | undefined {
  if (!isAmount(price) || Number(entry) === 0) return undefined;
  const isLong = positionSideOf(draft) === "LONG";
  const move = isLong ? minus(price, entry) : minus(entry, price);
  const sign = compare(move, "0") > 0 ? "+" : "";
  const percent = dividedDown(times(move, "100"), entry, PERCENT_DECIMALS);
  const where = unit === "PRICE" ? `${sign}${percent}%` : groupDecimal(price);
  if (!isAmount(draft.quantity)) return where;
  const profit = groupDecimal(times(move, draft.quantity), MONEY_DECIMALS);
  return `${where} · ${sign}${profit} ${rules.quoteAsset}`;
}
