/** Chart settings: interval, and on contracts last or mark price. */
import type { ReactElement } from "react";
import type { PriceType } from "../../../client/index.ts";
import type { CandleInterval } from "../../../domain/index.ts";
import { Choice, Segments } from "../../components/field.tsx";
import type { Product } from "../market-rules.ts";
import styles from "./chart.module.css";
import { INTERVALS } from "./fetch-candles.ts";

/** Shown as buttons where they fit; the list has all. */
const USUAL: readonly CandleInterval[] = ["1m", "5m", "15m", "1h", "4h", "1d", "1w"];

export interface ChartChoice {
  readonly interval: CandleInterval;
  readonly priceType: PriceType;
}

export interface ChartControlsProps {
  readonly product: Product;
  readonly choice: ChartChoice;
  readonly onChoice: (choice: ChartChoice) => void;
}

export function ChartControls({ product, choice, onChoice }: ChartControlsProps): ReactElement {
  const { interval, priceType } = choice;
  const onInterval = (value: CandleInterval): void => onChoice({ ...choice, interval: value });
  const all = INTERVALS[product];
  const usual = USUAL.includes(interval) ? USUAL : [...USUAL, interval];
  const others = all.filter((value) => !USUAL.includes(value));
  return (
    <>
      <div className={styles.intervals}>
        <Segments
          label="Interval"
          value={interval}
          options={usual.map((value) => ({ value, text: value }))}
          onValue={onInterval}
        />
      </div>
      <div className={styles.others}>
        <Choice
          label="Other intervals"
          showLabel={false}
          value={USUAL.includes(interval) ? "" : interval}
          options={[
            { value: "", text: "More" },
            ...others.map((value) => ({ value, text: value })),
          ]}
          onValue={(value) => {
            if (value !== "") onInterval(value);
          }}
        />
      </div>
      <div className={styles.intervalList}>
        <Choice
          label="Interval"
          showLabel={false}
          value={interval}
          options={all.map((value) => ({ value, text: value }))}
          onValue={onInterval}
        />
      </div>
      {product === "spot" ? null : (
        <div className={styles.prices}>
          <Choice
            label="Price type"
            showLabel={false}
            value={priceType}
            options={PRICES}
            onValue={(value) => onChoice({ ...choice, priceType: value })}
          />
        </div>
      )}
    </>
  );
}

const PRICES: readonly { readonly value: PriceType; readonly text: string }[] = [
  { value: "LAST_PRICE", text: "Last price" },
  { value: "MARK_PRICE", text: "Mark price" },
];
