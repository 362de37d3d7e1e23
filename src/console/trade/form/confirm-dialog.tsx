/** Asks before a large market order, with what it would bring, and sets from which value on. */
import { type FormEvent, type ReactElement, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Figure, Figures } from "../../components/figures.tsx";
import { isAmount, times } from "../../decimals/arithmetic.ts";
import { groupDecimal, MONEY_DECIMALS, signed, toneOf } from "../../decimals/format.ts";
import { profitOfClosing } from "../account/close-estimate.ts";
import type { FillOutlook } from "../book/fill-estimate.ts";
import { useMarket } from "../market.tsx";
import { storeConfirmLimit, storedConfirmLimit } from "./confirm-limit.ts";
import styles from "./form.module.css";
import type { AccountFacts } from "./form-queries.ts";
import { fillOf } from "./market-fill.ts";
import { feeText, type OrderFacts } from "./order-cost.ts";
import { type Draft, positionSideOf } from "./order-draft.ts";
import { ThinBookNotice } from "./order-estimates.tsx";
import { parseAmount } from "./parse-amount.ts";

export interface ConfirmDialogProps {
  readonly draft: Draft;
  readonly price: string;
  readonly account: AccountFacts;
  readonly facts: OrderFacts;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps): ReactElement {
  const { draft, facts, onConfirm, onClose } = props;
  const { symbol, baseAsset } = facts.rules;
  const fill = fillOf(draft, facts.book);
  const verb = draft.side === "BUY" ? "Buy" : "Sell";
  const effect = effectOf(draft, facts);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onConfirm();
  };
  return (
    <Dialog title={`${verb} ${symbol} at market?`} open onClose={onClose}>
      <form className={styles.dialog} onSubmit={submit}>
        <p>
          <strong>
            {verb} {groupDecimal(draft.quantity)} {baseAsset}
          </strong>
          {effect}
        </p>
        <ConfirmFigures {...props} fill={fill} />
        <ThinBookNotice draft={draft} fill={fill} />
        <Button type="submit" size="large" tone={draft.side === "BUY" ? "buy" : "sell"} data-focus>
          {verb} at market
        </Button>
        <ConfirmLimitField />
      </form>
    </Dialog>
  );
}

function effectOf(draft: Draft, { rules, leverage }: OrderFacts): string {
  if (rules.product === "spot") return "";
  const side = positionSideOf(draft).toLowerCase();
  return draft.closes ? ` to close a ${side}` : ` to open a ${side} at ${leverage}×`;
}

function ConfirmFigures(
  props: ConfirmDialogProps & { readonly fill: FillOutlook | null },
): ReactElement {
  const { draft, price, account, facts, fill } = props;
  const { rules, rates } = facts;
  const { quoteAsset, priceDecimals } = rules;
  const average = fill?.averagePrice ?? price;
  const profit = profitOf(draft, account, facts, fill);
  return (
    <Figures label="Estimate" shape="rows">
      <Figure name="Est. average price">{groupDecimal(average, priceDecimals)}</Figure>
      <Figure name="Slippage against the best price">
        {fill === null ? "–" : `${groupDecimal(fill.slippage, 2)}%`}
      </Figure>
      <Figure name="Order value">
        {groupDecimal(times(draft.quantity, average), MONEY_DECIMALS)} {quoteAsset}
      </Figure>
      <Figure name="Max fee">{feeText(draft, average, rules, rates)}</Figure>
      {profit === null ? null : (
        <Figure name="Est. P&L before fees" tone={toneOf(profit)}>
          {signed(groupDecimal(profit, MONEY_DECIMALS))} {quoteAsset}
        </Figure>
      )}
    </Figures>
  );
}

/** What a closing order would realise; null if it closes nothing. */
function profitOf(
  draft: Draft,
  { margin }: AccountFacts,
  { rules }: OrderFacts,
  fill: FillOutlook | null,
): string | null {
  const position = margin?.positions.find(
    ({ symbol, side }) => symbol === rules.symbol && side === positionSideOf(draft),
  );
  if (!draft.closes || position === undefined || fill === null) return null;
  return profitOfClosing(position, fill.filled, fill.value);
}

/** Empty never asks. */
function ConfirmLimitField(): ReactElement {
  const { quoteAsset } = useMarket().rules;
  const [limit, setLimit] = useState(storedConfirmLimit);
  const isValid = limit === "" || isAmount(limit);
  const change = (text: string): void => {
    const next = parseAmount(text);
    setLimit(next);
    if (next === "" || isAmount(next)) storeConfirmLimit(next);
  };
  return (
    <Field
      label="Ask before market orders from"
      unit={quoteAsset}
      inputMode="decimal"
      placeholder="never"
      value={limit}
      error={isValid ? null : "Enter an amount, or leave it empty to never be asked."}
      hint={limit === "" ? "Market orders are sent without asking" : undefined}
      onText={change}
    />
  );
}

/** Shows from which value on market orders ask, and changes it. */
export function ConfirmLimitButton(): ReactElement {
  const { quoteAsset } = useMarket().rules;
  const [open, setOpen] = useState(false);
  const limit = storedConfirmLimit();
  const when =
    limit === ""
      ? "sent without asking"
      : limit === "0"
        ? "always ask"
        : `ask from ${groupDecimal(limit)} ${quoteAsset}`;
  return (
    <>
      <Button size="small" tone="quiet" onClick={() => setOpen(true)}>
        Market orders: {when}
      </Button>
      <Dialog title="Confirmation of market orders" open={open} onClose={() => setOpen(false)}>
        <ConfirmLimitField />
      </Dialog>
    </>
  );
}
