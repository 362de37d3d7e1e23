/** Order type and time in force. */
import type { ReactElement } from "react";
import { Choice, Segments } from "../../components/field.tsx";
import type { Product } from "../market-rules.ts";
import styles from "./form.module.css";
import {
  CONDITIONAL_KINDS,
  type Draft,
  isConditional,
  type OrderKind,
  PLAIN_KINDS,
  type PlainKind,
  type TimeInForce,
} from "./order-draft.ts";

export const KIND_NAMES: Readonly<Record<OrderKind, string>> = {
  LIMIT: "Limit",
  MARKET: "Market",
  STOP: "Stop limit",
  STOP_MARKET: "Stop market",
  TAKE_PROFIT: "Take-profit limit",
  TAKE_PROFIT_MARKET: "Take-profit market",
  TRAILING_STOP_MARKET: "Trailing stop",
};

const TIMES: readonly { readonly value: TimeInForce; readonly text: string }[] = [
  { value: "GTC", text: "Good till cancelled" },
  { value: "POST_ONLY", text: "Post only" },
  { value: "IOC", text: "Immediate or cancel" },
  { value: "FOK", text: "Fill or kill" },
];

const CONDITIONAL = "CONDITIONAL";

export interface OrderTypeFieldsProps {
  readonly draft: Draft;
  readonly product: Product;
  readonly onChange: (part: Partial<Draft>) => void;
}

export function OrderTypeFields({ draft, product, onChange }: OrderTypeFieldsProps): ReactElement {
  const { kind, timeInForce } = draft;
  const plain = PLAIN_KINDS.map((value) => ({ value, text: KIND_NAMES[value] }));
  const conditional = { value: CONDITIONAL, text: "Conditional" } as const;
  return (
    <>
      <Segments<PlainKind | typeof CONDITIONAL>
        label="Order type"
        value={isConditional(kind) ? CONDITIONAL : kind}
        options={product === "contract" ? [...plain, conditional] : plain}
        onValue={(value) => onChange({ kind: value === CONDITIONAL ? "STOP_MARKET" : value })}
      />
      <div className={styles.pair}>
        {isConditional(kind) ? (
          <Choice
            label="Condition"
            value={kind}
            options={CONDITIONAL_KINDS.map((value) => ({ value, text: KIND_NAMES[value] }))}
            onValue={(value) => onChange({ kind: value })}
          />
        ) : null}
        {kind === "LIMIT" ? (
          <Choice
            label="Time in force"
            value={timeInForce}
            options={TIMES}
            onValue={(value) => onChange({ timeInForce: value })}
          />
        ) : null}
      </div>
    </>
  );
}
