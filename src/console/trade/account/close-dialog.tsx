/** Closes a position, whole or in part, with what it would bring; or turns it round. */
import { type FormEvent, type ReactElement, useState } from "react";
import type { Position, RialtoClient } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Segments, Switch } from "../../components/field.tsx";
import { Figure, Figures } from "../../components/figures.tsx";
import { ErrorText } from "../../components/form-error.tsx";
import { Notice } from "../../components/panel.tsx";
import { useMutation } from "../../data/mutation.ts";
import { useQuery } from "../../data/query.ts";
import {
  compare,
  cutToStep,
  dividedDown,
  isAmount,
  isMultiple,
  times,
} from "../../decimals/arithmetic.ts";
import {
  groupDecimal,
  MONEY_DECIMALS,
  QUOTE_FEE_DECIMALS,
  signed,
  toneOf,
} from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { fetchBook } from "../book/fill-estimate.ts";
import { toOrderError } from "../form/order-error.ts";
import { parseAmount } from "../form/parse-amount.ts";
import { useMarket } from "../market.tsx";
import type { MarketRules } from "../market-rules.ts";
import styles from "./account.module.css";
import { type CloseEstimate, estimateClose, markOf, profitOfClosing } from "./close-estimate.ts";

const TYPES = [
  { value: "MARKET", text: "Market" },
  { value: "LIMIT", text: "Limit" },
] as const;
type OrderType = (typeof TYPES)[number]["value"];

const PERCENTS = ["25", "50", "75", "100"] as const;
const BOOK_INTERVAL_MS = 1_000;
/** Beyond it the estimate warns. */
const SLIPPAGE_WARN_PERCENT = "1";

export interface CloseDialogProps {
  readonly position: Position;
  readonly onClose: () => void;
}

export function CloseDialog({ position, onClose }: CloseDialogProps): ReactElement {
  const { client } = useSession();
  const { markets, refreshAccount } = useMarket();
  const { symbol, side, size } = position;
  const rules = markets.find((market) => market.symbol === symbol) ?? null;
  const [type, setType] = useState<OrderType>("MARKET");
  const [quantity, setQuantity] = useState(size);
  const [price, setPrice] = useState(() => cutToStep(markOf(position), rules?.tickSize ?? "0"));
  const [reverses, setReverses] = useState(false);
  const { busy, error, run } = useMutation();
  const problem = quantityProblem(quantity, position, rules);
  const isReady = problem === null && (type === "MARKET" || isAmount(price));
  const plan: ClosePlan = { type, quantity, price, reverses: reverses && type === "MARKET" };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!(await run(() => closePosition(client, position, plan)))) return;
    refreshAccount();
    onClose();
  };
  const choosePercent = (percent: string): void => {
    const part = dividedDown(times(size, percent), "100", SIZE_DECIMALS);
    setQuantity(percent === "100" ? size : cutToStep(part, rules?.stepSize ?? "0"));
  };
  return (
    <Dialog title={`Close ${symbol} ${side.toLowerCase()}`} open onClose={onClose}>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <Segments label="Order type" value={type} options={TYPES} onValue={setType} />
        {type === "LIMIT" ? (
          <Field
            label="Price"
            hint={`Mark price ${groupDecimal(markOf(position), rules?.priceDecimals)}`}
            unit={position.asset}
            inputMode="decimal"
            value={price}
            onText={(text) => setPrice(parseAmount(text))}
          />
        ) : null}
        <Field
          label="Quantity"
          unit={rules?.baseAsset}
          inputMode="decimal"
          value={quantity}
          error={problem}
          hint={`Of ${groupDecimal(size)}`}
          actions={<Percents onPercent={choosePercent} />}
          onText={(text) => setQuantity(parseAmount(text))}
        />
        {type === "MARKET" ? (
          <Switch
            label={`Reverse: then open a ${otherSide(side)} of the same size at market`}
            checked={reverses}
            onChange={setReverses}
          />
        ) : null}
        {isReady ? <Estimate position={position} plan={plan} rules={rules} /> : null}
        <ErrorText text={error === null ? null : toOrderError(error).text} />
        <Button type="submit" tone="danger" size="large" busy={busy} disabled={!isReady}>
          {submitText(plan, side)}
        </Button>
      </form>
    </Dialog>
  );
}

const SIZE_DECIMALS = 18;
/** Never retried: a late order would execute at a price nobody looked at. */
const ONCE = { attempts: 1 } as const;

interface ClosePlan {
  readonly type: OrderType;
  readonly quantity: string;
  /** Of a limit order. */
  readonly price: string;
  readonly reverses: boolean;
}

const otherSide = (side: Position["side"]): string => (side === "LONG" ? "short" : "long");

function submitText({ type, reverses }: ClosePlan, side: Position["side"]): string {
  if (reverses) return `Close and open a ${otherSide(side)}`;
  return type === "MARKET" ? "Close at market" : "Place closing order";
}

function quantityProblem(
  quantity: string,
  { size }: Position,
  rules: MarketRules | null,
): string | null {
  if (!isAmount(quantity) || compare(quantity, "0") === 0) return "Enter a quantity.";
  if (compare(quantity, size) > 0) return `The position has ${groupDecimal(size)}.`;
  if (rules === null || isMultiple(quantity, rules.stepSize)) return null;
  return `Use steps of ${rules.stepSize}.`;
}

async function closePosition(
  client: RialtoClient,
  { id, symbol, side, size }: Position,
  { type, quantity, price, reverses }: ClosePlan,
): Promise<string> {
  const order = {
    symbol,
    side: side === "LONG" ? "SELL" : "BUY",
    quantity,
  } as const;
  if (type === "LIMIT") {
    const limit = { ...order, positionSide: side, type, timeInForce: "GTC", price } as const;
    await client.contract.placeOrder(limit, ONCE);
    return `Closing order for ${quantity} ${symbol} placed at ${groupDecimal(price)}`;
  }
  const orderId =
    compare(quantity, size) === 0
      ? await closeWhole(client, { id, symbol })
      : (await client.contract.placeOrder({ ...order, positionSide: side, type }, ONCE)).orderId;
  const { executedQty } = await client.contract.order({ orderId: String(orderId) });
  if (compare(executedQty, "0") === 0) throw new Error("Nothing to match: the book is empty");
  const closed = `${groupDecimal(executedQty)} ${symbol} closed at market`;
  if (!reverses) return closed;
  const positionSide = side === "LONG" ? "SHORT" : "LONG";
  const opposite = { ...order, quantity: executedQty, positionSide, type } as const;
  await client.contract.placeOrder(opposite, ONCE);
  return `${closed}, and a ${otherSide(side)} opened`;
}

/** The closing order. */
async function closeWhole(
  client: RialtoClient,
  { id, symbol }: Pick<Position, "id" | "symbol">,
): Promise<number> {
  const [result] = await client.contract.closePositions({ symbol, positionId: id }, ONCE);
  if (result?.success === true) return result.successOrderId;
  throw new Error(result?.errorMessage ?? "The position is already closed");
}

function Percents({ onPercent }: { readonly onPercent: (percent: string) => void }): ReactElement {
  return (
    <span className={styles.buttons}>
      {PERCENTS.map((percent) => (
        <Button
          key={percent}
          size="small"
          tone="quiet"
          aria-label={`Close ${percent}%`}
          onClick={() => onPercent(percent)}
        >
          {percent}%
        </Button>
      ))}
    </span>
  );
}

interface EstimateProps {
  readonly position: Position;
  readonly plan: ClosePlan;
  readonly rules: MarketRules | null;
}

function Estimate({ position, plan, rules }: EstimateProps): ReactElement | null {
  const { client } = useSession();
  const { symbol, asset } = position;
  const isMarket = plan.type === "MARKET";
  const { answer } = useQuery(
    isMarket ? symbol : null,
    (signal) => fetchBook(client, "contract", symbol, signal),
    BOOK_INTERVAL_MS,
  );
  if (isMarket && answer === null) return null;
  const estimate =
    isMarket && answer !== null
      ? estimateClose(position, plan.quantity, answer, markOf(position))
      : null;
  const price = estimate?.averagePrice ?? plan.price;
  const profit =
    estimate?.profit ?? profitOfClosing(position, plan.quantity, times(plan.quantity, plan.price));
  const filled = estimate?.filled ?? plan.quantity;
  const fee = times(times(filled, price), rules?.takerFeeRate ?? "0");
  return (
    <>
      <Figures label="Estimate" shape="rows">
        <Figure name={isMarket ? "Est. average price" : "Price"}>
          {groupDecimal(price, rules?.priceDecimals)}
        </Figure>
        {estimate === null ? null : (
          <Figure name="Slippage against the mark price">
            {groupDecimal(estimate.slippage, 2)}%
          </Figure>
        )}
        <Figure name="Est. P&L before fees" tone={toneOf(profit)}>
          {signed(groupDecimal(profit, MONEY_DECIMALS))} {asset}
        </Figure>
        <Figure name="Max fee">
          {groupDecimal(fee, QUOTE_FEE_DECIMALS)} {asset}
        </Figure>
      </Figures>
      <ThinBook estimate={estimate} quantity={plan.quantity} />
    </>
  );
}

interface ThinBookProps {
  readonly estimate: CloseEstimate | null;
  readonly quantity: string;
}

function ThinBook({ estimate, quantity }: ThinBookProps): ReactElement | null {
  if (estimate === null) return null;
  if (compare(estimate.filled, quantity) < 0) {
    const held = groupDecimal(estimate.filled);
    return <Notice kind="empty">The book holds only {held}: the rest would stay open.</Notice>;
  }
  if (compare(estimate.slippage, SLIPPAGE_WARN_PERCENT) < 0) return null;
  return (
    <Notice kind="empty">
      The book is thin: {estimate.slippage}% worse than the mark price. A limit order costs less.
    </Notice>
  );
}
