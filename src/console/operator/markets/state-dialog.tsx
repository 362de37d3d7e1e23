/** Opens, restricts or halts a market. */
import { type ReactElement, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Segments } from "../../components/field.tsx";
import { FormError } from "../../components/form-error.tsx";
import { useMutation } from "../../data/mutation.ts";
import layout from "../components/layout.module.css";
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
  const { busy, error, run } = useMutation();
  const submit = async (): Promise<void> => {
    const done = await run(async () => {
      await setMarketState(client, product, symbol, state);
      return `${symbol} (${product}) is now ${state}`;
    });
    if (!done) return;
    onDone();
    onClose();
  };
  return (
    <Dialog title={`State of ${symbol}, ${product}`} open onClose={onClose}>
      <div className={layout.form}>
        <Segments label="State" value={state} options={STATES} onValue={setState} />
        <p>
          {CONSEQUENCES[state]}
          {product === "contract" && state !== "trading"
            ? " Liquidations of this contract are paused as well."
            : ""}
        </p>
        <FormError error={error} />
        <div className={layout.ends}>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            tone={state === "trading" ? "accent" : "sell"}
            busy={busy}
            disabled={state === market.state}
            onClick={() => void submit()}
          >
            {STATES.find(({ value }) => value === state)?.submit}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
