/** A position's take-profit, stop-loss and isolated margin. */
import { type FormEvent, type ReactElement, type ReactNode, useState } from "react";
import type { Position } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Choice, Field, Segments } from "../../components/field.tsx";
import { Figure, Figures } from "../../components/figures.tsx";
import { ErrorText } from "../../components/form-error.tsx";
import { type Mutation, useMutation } from "../../data/mutation.ts";
import { compare, isAmount, times } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { EXIT_UNITS, TRIGGER_SOURCES } from "../form/exit-fields.tsx";
import type { TriggerSource } from "../form/order-draft.ts";
import { toOrderError } from "../form/order-error.ts";
import { parseAmount } from "../form/parse-amount.ts";
import { type ExitUnit, movedPrice } from "../form/typed-draft.ts";
import { useMarket } from "../market.tsx";
import styles from "./account.module.css";
import { PriceCell, SignedCell } from "./cells.tsx";
import { profitOfClosing } from "./close-estimate.ts";
import { entryPriceOf } from "./entry-price.ts";

const EXITS = [
  { value: "TAKE_PROFIT", text: "Take-profit", submit: "Set take-profit" },
  { value: "STOP_LOSS", text: "Stop-loss", submit: "Set stop-loss" },
] as const;

const MARGINS = [
  { value: "ADD", text: "Add margin", submit: "Add margin" },
  { value: "REMOVE", text: "Remove margin", submit: "Remove margin" },
] as const;

const LABELS: Readonly<Record<ExitUnit, string>> = {
  PRICE: "Trigger price",
  PERCENT: "Move from the entry price",
  ROI: "Return on the margin",
};

const CHANGES = [...EXITS, ...MARGINS];
type Change = (typeof CHANGES)[number]["value"];

export interface PositionDialogProps {
  readonly position: Position;
  /** Those that wait already. */
  readonly exits: string;
  readonly onClose: () => void;
}

export function PositionDialog({ position, exits, onClose }: PositionDialogProps): ReactElement {
  const { refreshAccount } = useMarket();
  const [change, setChange] = useState<Change>("TAKE_PROFIT");
  const { symbol, side, marginType } = position;
  const done = (): void => {
    refreshAccount();
    onClose();
  };
  const options = marginType === "ISOLATED" ? CHANGES : EXITS;
  return (
    <Dialog title={`${symbol} ${side.toLowerCase()}`} open onClose={onClose}>
      <PositionFigures position={position} exits={exits} />
      <div className={styles.form}>
        <Segments label="Change" value={change} options={options} onValue={setChange} />
        {change === "ADD" || change === "REMOVE" ? (
          <MarginForm key={change} position={position} change={change} onDone={done} />
        ) : (
          <ExitForm key={change} position={position} change={change} onDone={done} />
        )}
      </div>
    </Dialog>
  );
}

interface ChangeFormProps<Of extends Change> {
  readonly position: Position;
  readonly change: Of;
  readonly onDone: () => void;
}

function ExitForm(props: ChangeFormProps<"TAKE_PROFIT" | "STOP_LOSS">): ReactElement {
  const { position, change, onDone } = props;
  const { client } = useSession();
  const { markets } = useMarket();
  const [text, setText] = useState("");
  const [unit, setUnit] = useState<ExitUnit>("PRICE");
  const [trigger, setTrigger] = useState<TriggerSource>("MARK_PRICE");
  const [quantity, setQuantity] = useState("");
  const mutation = useMutation();
  const { symbol, side, asset, leverage } = position;
  const rules = markets.find((market) => market.symbol === symbol);
  const isUp = (side === "LONG") === (change === "TAKE_PROFIT");
  const entry = entryPriceOf(position);
  const price =
    rules === undefined ? text : movedPrice(text, unit, isUp, entry, { rules, leverage });
  const isReady = isAmount(text) && (quantity === "" || isAmount(quantity));
  const send = async (): Promise<string> => {
    const [result] = await client.contract.placeTpSlOrder({
      symbol,
      positionSide: side,
      planType: change,
      triggerPrice: price,
      triggerPriceType: trigger,
      ...(quantity === "" ? {} : { quantity }),
    });
    if (result?.success !== true) throw new Error(result?.errorMessage ?? "Order rejected");
    const of = quantity === "" ? "" : ` of ${quantity}`;
    return `${change === "TAKE_PROFIT" ? "Take-profit" : "Stop-loss"}${of} set at ${price}`;
  };
  return (
    <ChangeForm change={change} mutation={mutation} isReady={isReady} send={send} onDone={onDone}>
      <Segments label="Unit of the trigger" value={unit} options={EXIT_UNITS} onValue={setUnit} />
      <Field
        label={LABELS[unit]}
        unit={unit === "PRICE" ? asset : "%"}
        inputMode="decimal"
        value={text}
        hint={isAmount(price) ? exitText(position, quantity, price, unit) : undefined}
        onText={(next) => setText(parseAmount(next))}
      />
      <Field
        label="Quantity"
        placeholder={`the whole position, ${groupDecimal(position.size)}`}
        unit={rules?.baseAsset}
        inputMode="decimal"
        value={quantity}
        hint="Closes at market when triggered"
        onText={(next) => setQuantity(parseAmount(next))}
      />
      <Choice label="Trigger by" value={trigger} options={TRIGGER_SOURCES} onValue={setTrigger} />
    </ChangeForm>
  );
}

function MarginForm(props: ChangeFormProps<"ADD" | "REMOVE">): ReactElement {
  const { position, change, onDone } = props;
  const { client } = useSession();
  const [amount, setAmount] = useState("");
  const mutation = useMutation();
  const send = async (): Promise<string> => {
    const type = change === "ADD" ? 1 : 2;
    await client.contract.changePositionMargin({ isolatedPositionId: position.id, amount, type });
    return `${change === "ADD" ? "Added" : "Removed"} ${amount} ${position.asset} margin`;
  };
  return (
    <ChangeForm
      change={change}
      mutation={mutation}
      isReady={isAmount(amount)}
      send={send}
      onDone={onDone}
    >
      <Field
        label="Amount"
        unit={position.asset}
        inputMode="decimal"
        value={amount}
        onText={(next) => setAmount(parseAmount(next))}
      />
    </ChangeForm>
  );
}

interface SendFormProps {
  readonly change: Change;
  readonly mutation: Mutation;
  readonly isReady: boolean;
  readonly send: () => Promise<string>;
  readonly onDone: () => void;
  readonly children: ReactNode;
}

function ChangeForm(props: SendFormProps): ReactElement {
  const { change, mutation, isReady, send, onDone, children } = props;
  const { busy, error, run, reset } = mutation;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (await run(send)) onDone();
  };
  return (
    <form className={styles.form} onInput={reset} onSubmit={(event) => void submit(event)}>
      {children}
      <ErrorText text={error === null ? null : toOrderError(error).text} />
      <Button type="submit" tone="accent" size="large" busy={busy} disabled={!isReady}>
        {CHANGES.find(({ value }) => value === change)?.submit}
      </Button>
    </form>
  );
}

function PositionFigures({
  position,
  exits,
}: Pick<PositionDialogProps, "position" | "exits">): ReactElement {
  const { symbol, size, liquidatePrice } = position;
  return (
    <div className={styles.facts}>
      <Figures label="Position" shape="line">
        <Figure name="Size">{groupDecimal(size)}</Figure>
        <Figure name="Entry price">
          <PriceCell symbol={symbol} price={entryPriceOf(position)} />
        </Figure>
        <Figure name="Liquidation price">
          {compare(liquidatePrice, "0") === 0 ? "none" : groupDecimal(liquidatePrice)}
        </Figure>
        <Figure name="Unrealised P&L">
          <SignedCell text={position.unrealizePnl} places={2} />
        </Figure>
        <Figure name="TP / SL">{exits}</Figure>
      </Figures>
    </div>
  );
}

/** Where it triggers, and the profit or loss, before fees, of closing there. */
function exitText(position: Position, quantity: string, price: string, unit: ExitUnit): string {
  const { size, asset } = position;
  const part = isAmount(quantity) && compare(quantity, "0") > 0 ? quantity : size;
  const pnl = profitOfClosing(position, part, times(part, price));
  const amount = `${groupDecimal(pnl.replace("-", ""), 2)} ${asset}`;
  const where = unit === "PRICE" ? "" : `At ${groupDecimal(price)}: `;
  return `${where}Estimated ${pnl.startsWith("-") ? "loss" : "profit"}: ${amount} before fees`;
}
