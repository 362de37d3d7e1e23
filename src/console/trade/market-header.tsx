/** The market's name, price, 24-hour figures, funding and connection state. */
import { type ReactElement, useRef } from "react";
import { Figure, Figures } from "../components/figures.tsx";
import { useLive } from "../data/live-value.ts";
import { groupDecimal, percentOf, signed, toneOf } from "../decimals/format.ts";
import { ConnectionState } from "./header/connection-state.tsx";
import { ContractFigures } from "./header/contract-figures.tsx";
import { MarketSwitch } from "./header/market-switch.tsx";
import { useMarket } from "./market.tsx";
import styles from "./market-header.module.css";
import { PriceTrend } from "./price-trend.ts";

const ARROWS = { up: "↑", down: "↓", none: "" } as const;
const UNKNOWN = "–";

export function MarketHeader(): ReactElement {
  const { rules, streams } = useMarket();
  return (
    <section className={styles.header} aria-label="Market">
      <MarketSwitch />
      <LastPrice />
      <div className={styles.figures}>
        <Figures label="24 hours" shape="line">
          <DayFigures />
          {rules.product === "contract" ? <ContractFigures /> : null}
        </Figures>
      </div>
      <div className={styles.state}>
        <ConnectionState streams={streams} />
        {rules.isTrading ? null : (
          <strong
            className={styles.halted}
            title="New orders are rejected while the market is halted"
          >
            Halted
          </strong>
        )}
      </div>
    </section>
  );
}

function LastPrice(): ReactElement {
  const { rules, ticker } = useMarket();
  const lastPrice = useLive(ticker)?.lastPrice ?? "0";
  const trend = useRef<PriceTrend>(null);
  trend.current ??= new PriceTrend();
  const direction = trend.current.follow(lastPrice);
  return (
    <div className={styles.last} data-direction={direction} title="Last price">
      <span className="visually-hidden">Last price </span>
      {lastPrice === "0" ? UNKNOWN : groupDecimal(lastPrice, rules.priceDecimals)}
      <span aria-hidden="true">{ARROWS[direction]}</span>
    </div>
  );
}

function DayFigures(): ReactElement {
  const { rules, ticker } = useMarket();
  const day = useLive(ticker);
  const { priceDecimals, quantityDecimals, baseAsset, quoteAsset } = rules;
  const price = (text: string): string =>
    text === "0" ? UNKNOWN : groupDecimal(text, priceDecimals);
  return (
    <>
      <Figure name="24 h change" tone={toneOf(day?.priceChange ?? "0")}>
        {day === null ? UNKNOWN : signed(groupDecimal(day.priceChange, priceDecimals))}
        {day === null ? null : ` (${percentOf(day.priceChangePercent)})`}
      </Figure>
      <Figure name="24 h high">{price(day?.highPrice ?? "0")}</Figure>
      <Figure name="24 h low">{price(day?.lowPrice ?? "0")}</Figure>
      <Figure name={`24 h volume (${baseAsset})`}>
        {day === null ? UNKNOWN : groupDecimal(day.volume, quantityDecimals)}
      </Figure>
      <Figure name={`24 h volume (${quoteAsset})`}>
        {day === null ? UNKNOWN : groupDecimal(day.quoteVolume, 0)}
      </Figure>
    </>
  );
}
