/** Opens, restricts or halts a market. */
import { type ReactElement, useState } from "react";
import { Field, Segments } from "../../components/field.tsx";
import { MutationDialog } from "../components/mutation-form.tsx";
import { useOperator } from "../session/operator-session.tsx";
import { type Market, type MarketState, type Product, setMarketState } from "./market-kind.ts";

const STATES = [
  { value: "trading", text: "Trading", submit: "Resume trading" },
  { value: "cancel-only", text: "Cancel-only", submit: "Set cancel-only" },
  { value: "halted", text: "Halted", submit: "Halt market" },
] as const;

const CONSEQUENCES: Readonly<Record<MarketState, string>> = {
  trading: "New orders are accepted, and orders match.",
  "cancel-only": "New orders are rejected and nothing matches. Users can cancel open orders.",
  halted: "New orders and cancels are rejected. Open orders stay in the book until the halt ends.",
};

export interface StateDialogProps {
  readonly product: Product;
  readonly market: Market;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function StateDialog({ product, market, onClose, onDone }: StateDialogProps): ReactElement {
  const { client } = useOperator();
  const { symbol } = market;
  const [state, setState] = useState<MarketState>(market.state);
  const [reason, setReason] = useState("");
  const isGrave = state !== "trading";
  const save = async (): Promise<string> => {
    await setMarketState(client, product, symbol, { state, reason: reason.trim() });
    return `${symbol} (${product}) is now ${state}`;
  };
  return (
    <MutationDialog
      title={`State of ${symbol}, ${product}`}
      submit={STATES.find(({ value }) => value === state)?.submit}
      tone={state === "trading" ? "accent" : "sell"}
      disabled={state === market.state || (isGrave && reason.trim() === "")}
      act={save}
      onClose={onClose}
      onDone={onDone}
    >
      {(errorOf) => (
        <>
          <Segments label="State" value={state} options={STATES} onValue={setState} />
          <p>
            {CONSEQUENCES[state]}
            {product === "contract" && state !== "trading"
              ? " Liquidations of this contract are paused as well."
              : ""}
          </p>
          <Field
            label={isGrave ? "Reason" : "Reason (optional)"}
            value={reason}
            error={errorOf("reason")}
            hint="Recorded in the audit log."
            maxLength={500}
            onText={setReason}
          />
        </>
      )}
    </MutationDialog>
  );
}
