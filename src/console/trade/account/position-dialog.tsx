/** A position's take-profit, stop-loss and isolated margin. */
import { type FormEvent, type ReactElement, useState } from "react";
import type { Position } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Segments } from "../../components/field.tsx";
import { Figure, Figures } from "../../components/figures.tsx";
import { ErrorText } from "../../components/form-error.tsx";
import { useMutation } from "../../data/mutation.ts";
import { compare, isAmount, minus, times } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { toOrderError } from "../form/order-error.ts";
import { parseAmount } from "../form/parse-amount.ts";
import { useMarket } from "../market.tsx";
import styles from "./account.module.css";
import { AverageCell, SignedCell } from "./cells.tsx";
import { entryPriceOf } from "./entry-price.ts";

const EXITS = [
  { value: "TAKE_PROFIT", text: "Take-profit", submit: "Set take-profit" },
  { value: "STOP_LOSS", text: "Stop-loss", submit: "Set stop-loss" },
] as const;

const MARGINS = [
  { value: "ADD", text: "Add margin", submit: "Add margin" },
  { value: "REMOVE", text: "Remove margin", submit: "Remove margin" },
] as const;

const CHANGES = [...EXITS, ...MARGINS];
type Change = (typeof CHANGES)[number]["value"];

export interface PositionDialogProps {
  readonly position: Position;
  readonly onClose: () => void;
}

export function PositionDialog({ position, onClose }: PositionDialogProps): ReactElement {
  const { client } = useSession();
  const { refreshAccount } = useMarket();
  const [change, setChange] = useState<Change>("TAKE_PROFIT");
  const [amount, setAmount] = useState("");
  const { busy, error, run } = useMutation();
  const { symbol, side, marginType, asset } = position;
  const isMargin = change === "ADD" || change === "REMOVE";
  const send = async (): Promise<string> => {
    if (isMargin) {
      const type = change === "ADD" ? 1 : 2;
      await client.contract.changePositionMargin({ isolatedPositionId: position.id, amount, type });
      return `${change === "ADD" ? "Added" : "Removed"} ${amount} ${asset} margin`;
    }
    const [result] = await client.contract.placeTpSlOrder({
      symbol,
      positionSide: side,
      planType: change,
      triggerPrice: amount,
    });
    if (result?.success !== true) throw new Error(result?.errorMessage ?? "Order rejected");
    return `${change === "TAKE_PROFIT" ? "Take-profit" : "Stop-loss"} set at ${amount}`;
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!(await run(send))) return;
    refreshAccount();
    onClose();
  };
  const options = marginType === "ISOLATED" ? CHANGES : EXITS;
  return (
    <Dialog title={`${symbol} ${side.toLowerCase()}`} open onClose={onClose}>
      <PositionFigures position={position} />
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <Segments label="Change" value={change} options={options} onValue={setChange} />
        <Field
          label={isMargin ? "Amount" : "Trigger price (closes the whole position at market)"}
          unit={asset}
          inputMode="decimal"
          value={amount}
          hint={isMargin || !isAmount(amount) ? undefined : pnlText(position, amount)}
          onText={(text) => setAmount(parseAmount(text))}
        />
        <ErrorText text={error === null ? null : toOrderError(error).text} />
        <Button type="submit" tone="accent" size="large" busy={busy} disabled={!isAmount(amount)}>
          {CHANGES.find(({ value }) => value === change)?.submit}
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
        <Figure name="Unrealised P&L">
          <SignedCell text={position.unrealizePnl} />
        </Figure>
      </Figures>
    </div>
  );
}

/** The profit or loss, before fees, of closing at a price. */
function pnlText({ side, size, openValue, asset }: Position, price: string): string {
  const value = times(size, price);
  const pnl = side === "LONG" ? minus(value, openValue) : minus(openValue, value);
  const amount = `${groupDecimal(pnl.replace("-", ""), 2)} ${asset}`;
  return `Estimated ${pnl.startsWith("-") ? "loss" : "profit"}: ${amount} before fees`;
}
