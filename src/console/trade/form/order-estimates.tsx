/** Estimated cost of the order. */
import type { ReactElement } from "react";
import { Figure, Figures } from "../../components/figures.tsx";
import { compare, isAmount, times } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { useMarket } from "../market.tsx";
import type { MarginSetting } from "./form-queries.ts";
import {
  estimatedFee,
  estimatedLiquidation,
  type Funds,
  feeAssetOf,
  initialMargin,
  isBeyondFunds,
  NO_FUNDS,
} from "./order-cost.ts";
import { type Draft, positionSideOf } from "./order-draft.ts";
import type { OrderFacts } from "./percent-slider.tsx";

const NONE = "–";
const SHOWN_DECIMALS = 8;
const MONEY_DECIMALS = 4;

export interface OrderEstimatesProps {
  readonly draft: Draft;
  readonly price: string;
  readonly funds: Funds;
  readonly facts: OrderFacts;
  readonly margin: MarginSetting | null;
}

export function OrderEstimates({
  draft,
  price,
  funds,
  facts,
  margin,
}: OrderEstimatesProps): ReactElement {
  const { rules } = useMarket();
  const { quoteAsset, product } = rules;
  const isWhole = isAmount(draft.quantity) && isAmount(price) && compare(price, "0") > 0;
  const shown = (make: () => string): string => (isWhole ? make() : NONE);
  // Unknown funds are not insufficient.
  const tooMuch = isWhole && funds !== NO_FUNDS && isBeyondFunds(draft, price, funds, facts);
  const required = isWhole ? initialMargin(draft, price, facts.leverage) : "0";
  const backing = margin?.marginType === "CROSSED" ? funds.quote : required;
  const liquidation = (): string => {
    const estimate = estimatedLiquidation(draft, price, rules, { backing, tiers: rules.riskTiers });
    return estimate === null ? "none" : groupDecimal(estimate, rules.priceDecimals);
  };
  return (
    <Figures label="Estimates" shape="rows">
      <Figure
        name={`${draft.closes ? "Closable" : "Available"}${tooMuch ? " (insufficient)" : ""}`}
        tone={tooMuch ? "sell" : "plain"}
      >
        {funds === NO_FUNDS ? NONE : availableText(draft, funds, facts)}
      </Figure>
      <Figure name="Order value">
        {shown(() => `${groupDecimal(times(draft.quantity, price), MONEY_DECIMALS)} ${quoteAsset}`)}
      </Figure>
      <Figure name="Max fee">
        {shown(() => {
          const fee = estimatedFee(draft, price, rules, facts.rates);
          return `${groupDecimal(fee, SHOWN_DECIMALS)} ${feeAssetOf(draft, rules)}`;
        })}
      </Figure>
      {product === "contract" ? (
        <>
          <Figure name="Margin">
            {shown(() => `${groupDecimal(required, MONEY_DECIMALS)} ${quoteAsset}`)}
          </Figure>
          <Figure name="Est. liquidation price">{shown(liquidation)}</Figure>
        </>
      ) : null}
    </Figures>
  );
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
