/** Open, high, low, close and volume of the candle under the pointer; drawn without React. */
import type { ReactElement, RefObject } from "react";
import { groupDecimal, percentOf, toneOf } from "../../decimals/format.ts";
import { AttributeWriter, TextWriter } from "../dom/writers.ts";
import { changeOf } from "./candle-change.ts";
import styles from "./candle-legend.module.css";
import type { ChartCandle } from "./candle-list.ts";
import { type CandleFills, fillsText } from "./own-fills.ts";

const PARTS = ["O", "H", "L", "C"] as const;

export interface CandleLegendProps {
  readonly host: RefObject<HTMLDListElement | null>;
  readonly baseAsset: string;
}

export function CandleLegend({ host, baseAsset }: CandleLegendProps): ReactElement {
  return (
    <dl ref={host} className={styles.legend}>
      {PARTS.map((part) => (
        <div key={part}>
          <dt>{part}</dt>
          <dd />
        </div>
      ))}
      <div>
        <dt className="visually-hidden">Change</dt>
        <dd />
      </div>
      <div className={styles.plain}>
        <dt>Vol ({baseAsset})</dt>
        <dd />
      </div>
      <div className={styles.plain} hidden>
        <dt>You</dt>
        <dd />
      </div>
    </dl>
  );
}

export class LegendRenderer {
  readonly #texts: readonly TextWriter[];
  readonly #fills: TextWriter;
  readonly #noFills: AttributeWriter;
  readonly #tone: AttributeWriter;
  readonly #priceDecimals: number;

  constructor(host: HTMLElement, priceDecimals: number) {
    const values = [...host.querySelectorAll("dd")];
    const fills = values.pop() as HTMLElement;
    this.#texts = values.map((element) => new TextWriter(element));
    this.#fills = new TextWriter(fills);
    this.#noFills = new AttributeWriter(fills.parentElement as HTMLElement, "hidden");
    this.#tone = new AttributeWriter(host, "data-tone");
    this.#priceDecimals = priceDecimals;
  }

  draw(candle: ChartCandle | undefined, fills: CandleFills | undefined): void {
    const texts = candle === undefined ? [] : this.#textsOf(candle);
    for (let i = 0; i < this.#texts.length; i++) this.#texts[i]?.write(texts[i] ?? "–");
    this.#tone.write(candle === undefined ? null : toneOf(changeOf(candle.open, candle.close)));
    this.#fills.write(fills === undefined ? "" : fillsText(fills, this.#priceDecimals));
    this.#noFills.write(fills === undefined ? "" : null);
  }

  #textsOf({ open, high, low, close, volume }: ChartCandle): readonly string[] {
    const prices = [open, high, low, close].map((price) =>
      groupDecimal(price, this.#priceDecimals),
    );
    return [...prices, percentOf(changeOf(open, close)), groupDecimal(volume)];
  }
}
