/** A position's take-profit, stop-loss and isolated margin. */
import { type FormEvent, type ReactElement, useState } from "react";
import type { Position } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Segments } from "../../components/field.tsx";
import { Figure, Figures } from "../../components/figures.tsx";
import { useSay } from "../../components/toast.tsx";
import { compare, isAmount, minus, times } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { refusalOf } from "../form/order-error.ts";
import { amountOfText } from "../form/parse-amount.ts";
import { useDesk } from "../market.tsx";
import styles from "./account.module.css";
import { AverageCell, SignedCell } from "./cells.tsx";
import { entryPriceOf } from "./entry-price.ts";

type Change = "TAKE_PROFIT" | "STOP_LOSS" | "ADD" | "TAKE_BACK";

export interface PositionDialogProps {
  readonly position: Position;
  readonly onClose: () => void;
}

export function PositionDialog({ position, onClose }: PositionDialogProps): ReactElement {
  const { client } = useSession();
  const { accountChanged } = useDesk();
  const say = useSay();
  const [change, setChange] = useState<Change>("TAKE_PROFIT");
  const [amount, setAmount] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const { symbol, side, marginType, asset } = position;
  const isMargin = change === "ADD" || change === "TAKE_BACK";
  const send = async (): Promise<string> => {
    if (isMargin) {
      const type = change === "ADD" ? 1 : 2;
      await client.contract.changePositionMargin({ isolatedPositionId: position.id, amount, type });
      return `${change === "ADD" ? "Added" : "Took back"} ${amount} ${asset}.`;
    }
    const [result] = await client.contract.placeTpSlOrder({
      symbol,
      positionSide: side,
      planType: change,
      triggerPrice: amount,
    });
    if (result?.success !== true) throw new Error(result?.errorMessage ?? "refused");
    return `Conditional order ${result.orderId} waits at ${amount}.`;
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setError(null);
    setBusy(true);
    try {
      say(await send(), "good");
      accountChanged.set(accountChanged.get() + 1);
      onClose();
    } catch (reason) {
      setError(refusalOf(reason).text);
    } finally {
      setBusy(false);
    }
  };
  const gain = isAmount(amount) ? gainText(gainAt(position, amount)) : "";
  const options = marginType === "ISOLATED" ? [...EXITS, ...MARGINS] : EXITS;
  return (
    <Dialog title={`${symbol} ${side.toLowerCase()}`} open onClose={onClose}>
      <PositionFigures position={position} />
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <Segments label="What to change" value={change} options={options} onValue={setChange} />
        <Field
          label={isMargin ? "Amount" : "Trigger price, for the whole position at market"}
          unit={asset}
          inputMode="decimal"
          value={amount}
          hint={isMargin || !isAmount(amount) ? undefined : `There, about ${gain} ${asset}.`}
          onText={(text) => setAmount(amountOfText(text))}
        />
        {error === null ? null : (
          <p role="alert" className={styles.problem}>
            {error}
          </p>
        )}
        <Button type="submit" tone="accent" size="large" busy={busy} disabled={!isAmount(amount)}>
          {SENDS[change]}
        </Button>
      </form>
    </Dialog>
  );
}

/** What the trigger price is compared with. */
function PositionFigures({ position }: { readonly position: Position }): ReactElement {
  const { symbol, size, liquidatePrice } = position;
  return (
    <div className={styles.facts}>
      <Figures label="Position" shape="line">
        <Figure name="Size">{groupDecimal(size)}</Figure>
        <Figure name="Entry price">
          <AverageCell symbol={symbol} price={entryPriceOf(position)} />
        </Figure>
        <Figure name="Liquidation price">
          {compare(liquidatePrice, "0") === 0 ? "none" : groupDecimal(liquidatePrice)}
        </Figure>
        <Figure name="Profit at mark">
          <SignedCell text={position.unrealizePnl} />
        </Figure>
      </Figures>
    </div>
  );
}

/** Before fees: what the position gains when it is closed at a price. */
function gainAt({ side, size, openValue }: Position, price: string): string {
  const value = times(size, price);
  return side === "LONG" ? minus(value, openValue) : minus(openValue, value);
}

function gainText(gain: string): string {
  const text = groupDecimal(gain.replace("-", ""), 2);
  return gain.startsWith("-") ? `a loss of ${text}` : `a profit of ${text}`;
}

const SENDS: Readonly<Record<Change, string>> = {
  TAKE_PROFIT: "Set take-profit",
  STOP_LOSS: "Set stop-loss",
  ADD: "Add margin",
  TAKE_BACK: "Take margin back",
};

const EXITS: readonly { readonly value: Change; readonly text: string }[] = [
  { value: "TAKE_PROFIT", text: "Take-profit" },
  { value: "STOP_LOSS", text: "Stop-loss" },
];

const MARGINS: typeof EXITS = [
  { value: "ADD", text: "Add margin" },
  { value: "TAKE_BACK", text: "Take margin back" },
];
