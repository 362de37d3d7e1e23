/** What the account is worth and how close it is to a liquidation, under the order form. */
import type { ReactElement } from "react";
import { Figure, Figures } from "../../components/figures.tsx";
import { Panel } from "../../components/panel.tsx";
import { plus } from "../../decimals/arithmetic.ts";
import { groupDecimal, MONEY_DECIMALS, rateText, signed, toneOf } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { crossStateOf } from "../margin.ts";
import { useMarket } from "../market.tsx";
import type { AccountFacts } from "./form-queries.ts";

export function AccountSummary({
  account,
}: {
  readonly account: AccountFacts;
}): ReactElement | null {
  const { apiKey } = useSession();
  const { rules, markets } = useMarket();
  const { funds, margin } = account;
  const { baseAsset, quoteAsset } = rules;
  if (apiKey === null) return null;
  const money = (text: string): string => `${groupDecimal(text, MONEY_DECIMALS)} ${quoteAsset}`;
  if (rules.product === "spot") {
    return (
      <Panel title="Available">
        <Figures label="Available" shape="rows">
          <Figure name={baseAsset}>{groupDecimal(funds.base)}</Figure>
          <Figure name={quoteAsset}>{groupDecimal(funds.quote, MONEY_DECIMALS)}</Figure>
        </Figures>
      </Panel>
    );
  }
  if (margin === null) return null;
  const { ratio, maintenance } = crossStateOf({ ...margin, markets });
  return (
    <Panel title="Contract account">
      <Figures label="Contract account" shape="rows">
        <Figure name="Equity">{money(plus(margin.wallet, margin.unrealised))}</Figure>
        <Figure name="Unrealised P&L" tone={toneOf(margin.unrealised)}>
          {signed(money(margin.unrealised))}
        </Figure>
        <Figure name="Available margin">{money(margin.available)}</Figure>
        <Figure name="Maintenance margin (cross)">{money(maintenance)}</Figure>
        <Figure name="Margin ratio (cross)">{ratio === null ? "–" : rateText(ratio)}</Figure>
      </Figures>
    </Panel>
  );
}
