/** A position's take-profit, stop-loss and isolated margin. */
import { type FormEvent, type ReactElement, useState } from "react";
import type { Position } from "../../../client/index.ts";
import { isAmount } from "../../amounts/exact.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Segments } from "../../components/field.tsx";
import { useSay } from "../../components/toast.tsx";
import { useSession } from "../../session/session.tsx";
import { useDesk } from "../desk.tsx";
import styles from "./account.module.css";

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
    try {
      say(await send(), "good");
      accountChanged.set(accountChanged.get() + 1);
      onClose();
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason));
    }
  };
  const options = marginType === "ISOLATED" ? [...EXITS, ...MARGINS] : EXITS;
  return (
    <Dialog title={`${symbol} ${side.toLowerCase()}`} open onClose={onClose}>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <Segments label="What to change" value={change} options={options} onValue={setChange} />
        <Field
          label={isMargin ? "Amount" : "Trigger price, for the whole position at market"}
          unit={asset}
          inputMode="decimal"
          value={amount}
          onText={(text) => setAmount(text.replace(",", ".").trim())}
        />
        {error === null ? null : (
          <p role="alert" className={styles.problem}>
            {error}
          </p>
        )}
        <Button type="submit" tone="accent" disabled={!isAmount(amount)}>
          Send
        </Button>
      </form>
    </Dialog>
  );
}

const EXITS: readonly { readonly value: Change; readonly text: string }[] = [
  { value: "TAKE_PROFIT", text: "Take-profit" },
  { value: "STOP_LOSS", text: "Stop-loss" },
];

const MARGINS: typeof EXITS = [
  { value: "ADD", text: "Add margin" },
  { value: "TAKE_BACK", text: "Take margin back" },
];
