/** Changes whether a market trades, after it was said what that does. */
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
  { value: "trading", text: "Trading" },
  { value: "cancel-only", text: "Cancel-only" },
  { value: "halted", text: "Halted" },
] as const;

const CONSEQUENCES: Readonly<Record<MarketState, string>> = {
  trading: "New orders are taken and matched, and orders that rest may fill.",
  "cancel-only": "New orders are refused; users may cancel what rests. Nothing is matched.",
  halted: "New orders and cancels are refused; what rests stays as it is until the halt ends.",
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
      return `${symbol} (${product}) is ${state} now.`;
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
            ? " Liquidations of this contract wait as well."
            : ""}
        </p>
        <FormError error={error} />
        <div className={layout.ends}>
          <Button onClick={onClose}>Leave it as it is</Button>
          <Button
            tone={state === "trading" ? "accent" : "sell"}
            busy={busy}
            disabled={state === market.state}
            onClick={() => void submit()}
          >
            {state === market.state ? `It is ${state}` : `Make it ${state}`}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
