/** Estimated cost of the order. */
import type { ReactElement } from "react";
import { Figure, Figures } from "../../components/figures.tsx";
import { compare, isAmount, times } from "../../decimals/arithmetic.ts";
import { groupDecimal, MONEY_DECIMALS } from "../../decimals/format.ts";
import { type FillOutlook, SLIPPAGE_WARN_PERCENT } from "../book/fill-estimate.ts";
import { liquidationAfter } from "../margin.ts";
import { type TradeMarket, useMarket } from "../market.tsx";
import styles from "./form.module.css";
import type { AccountFacts, MarginSetting } from "./form-queries.ts";
import {
  costOf,
  type Funds,
  feeText,
  initialMargin,
  isBeyondFunds,
  NO_FUNDS,
  type OrderFacts,
} from "./order-cost.ts";
import { type Draft, positionSideOf } from "./order-draft.ts";

const NONE = "–";

export interface OrderEstimatesProps {
  readonly draft: Draft;
  readonly price: string;
  readonly account: AccountFacts;
  readonly facts: OrderFacts;
  readonly margin: MarginSetting | null;
  /** Null unless it is a market order. */
  readonly fill: FillOutlook | null;
}

export function OrderEstimates(props: OrderEstimatesProps): ReactElement {
  const { draft, price, account, facts, fill } = props;
  const market = useMarket();
  const { rules } = market;
  const { quoteAsset, product } = rules;
  const { funds } = account;
  const isWhole = isAmount(draft.quantity) && isAmount(price) && compare(price, "0") > 0;
  const shown = (make: () => string): string => (isWhole ? make() : NONE);
  const money = (amount: string): string => `${groupDecimal(amount, MONEY_DECIMALS)} ${quoteAsset}`;
  // Unknown funds are not insufficient.
  const tooMuch = isWhole && funds !== NO_FUNDS && isBeyondFunds(draft, price, funds, facts);
  return (
    <Figures label="Estimates" shape="rows">
      <Figure
        name={`${draft.closes ? "Closable" : "Available"}${tooMuch ? " (insufficient)" : ""}`}
        tone={tooMuch ? "warn" : "plain"}
      >
        {funds === NO_FUNDS ? NONE : availableText(draft, funds, facts)}
      </Figure>
      {fill === null ? null : (
        <Figure name="Est. average price" tone={fill.isThin ? "warn" : "plain"}>
          {groupDecimal(fill.averagePrice, rules.priceDecimals)} ({groupDecimal(fill.slippage, 2)}%)
        </Figure>
      )}
      <Figure name="Order value">{shown(() => money(times(draft.quantity, price)))}</Figure>
      <Figure name="Max fee">{shown(() => feeText(draft, price, rules, facts.rates))}</Figure>
      {product === "contract" && !draft.closes ? (
        <>
          <Figure name="Margin">
            {shown(() => money(initialMargin(draft, price, facts.leverage)))}
          </Figure>
          <Figure name="Cost (margin and fee)">
            {shown(() => money(costOf(draft, price, facts)))}
          </Figure>
          <Figure name="Est. liquidation price">
            {shown(() => liquidationText(props, market))}
          </Figure>
        </>
      ) : null}
    </Figures>
  );
}

type ThinBookProps = Pick<OrderEstimatesProps, "draft" | "fill">;

/** Warns of a market order that the book cannot fill well. */
export function ThinBookNotice({ draft, fill }: ThinBookProps): ReactElement | null {
  if (fill === null || !fill.isThin) return null;
  return (
    <p role="status" className={styles.warning}>
      {compare(fill.filled, draft.quantity) < 0
        ? `The book holds only ${groupDecimal(fill.filled)}: the rest would be cancelled.`
        : `Thin book: over ${SLIPPAGE_WARN_PERCENT}% worse than the best price.`}
    </p>
  );
}

/** Of the position after the order, with what is held already. */
function liquidationText(
  { draft, price, account, facts, margin }: Omit<OrderEstimatesProps, "fill">,
  { rules, markets }: TradeMarket,
): string {
  if (account.margin === null || margin === null) return NONE;
  const estimate = liquidationAfter(
    {
      symbol: rules.symbol,
      side: positionSideOf(draft),
      marginType: margin.marginType,
      quantity: draft.quantity,
      price,
      margin: initialMargin(draft, price, facts.leverage),
    },
    { ...account.margin, markets },
  );
  return estimate === null ? "none" : groupDecimal(estimate, rules.priceDecimals);
}

function availableText(draft: Draft, funds: Funds, { rules }: OrderFacts): string {
  const { product, baseAsset, quoteAsset } = rules;
  if (product === "contract" && draft.closes) {
    const held = positionSideOf(draft) === "LONG" ? funds.longSize : funds.shortSize;
    const side = positionSideOf(draft).toLowerCase();
    if (compare(held, "0") === 0) return `no ${side} position`;
    return `${groupDecimal(held)} ${baseAsset} ${side}`;
  }
  if (product === "spot" && draft.side === "SELL")
    return `${groupDecimal(funds.base)} ${baseAsset}`;
  return `${groupDecimal(funds.quote, MONEY_DECIMALS)} ${quoteAsset}`;
}
