/**
 * Draws the tape without React: rows are created once, and a new trade reuses the oldest row, which
 * moves to the top. Other rows, and the focus in them, stay untouched.
 */
import { groupDecimal } from "../../decimals/format.ts";
import {
  appendElement,
  appendHeader,
  appendPriceButton,
  enableArrowKeys,
} from "../dom/elements.ts";
import { AttributeWriter, TextWriter } from "../dom/writers.ts";
import type { TapeTrade } from "./tape-trades.ts";

export interface TapeRendererOptions {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly priceDecimals: number;
  readonly quantityDecimals: number;
  readonly rows: number;
  /** Called with the price of a clicked row. */
  readonly onPick: (price: string) => void;
}

const TIME = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

export class TapeRenderer {
  readonly #options: TapeRendererOptions;
  readonly #table: HTMLElement;
  readonly #body: HTMLElement;
  /** Newest first. */
  #rows: readonly TapeRow[];
  readonly #stop: () => void;

  constructor(host: HTMLElement, options: TapeRendererOptions) {
    this.#options = options;
    const { symbol, baseAsset, quoteAsset } = options;
    const table = appendElement(host, "table", { role: "table" });
    table.setAttribute("aria-label", `Trades of ${symbol}`);
    appendHeader(table, [`Price (${quoteAsset})`, `Qty (${baseAsset})`, "Time"]);
    this.#body = appendElement(table, "body", { role: "rowgroup" });
    this.#rows = Array.from({ length: options.rows }, () => new TapeRow(this.#body, options));
    const first = this.#rows[0];
    if (first !== undefined) first.button.tabIndex = 0;
    this.#table = table;
    const stopKeys = enableArrowKeys(table);
    table.addEventListener("click", this.#onClick);
    this.#stop = () => {
      stopKeys();
      table.removeEventListener("click", this.#onClick);
    };
  }

  draw(newestFirst: readonly TapeTrade[]): void {
    this.#turn(newestFirst);
    for (let i = 0; i < this.#rows.length; i++) this.#rows[i]?.draw(newestFirst[i]);
  }

  close(): void {
    this.#stop();
    this.#table.remove();
  }

  /** Moves one row to the top for each new trade. */
  #turn(newestFirst: readonly TapeTrade[]): void {
    const drawnId = this.#rows[0]?.trade?.id;
    const count = newestFirst.findIndex(({ id }) => id === drawnId);
    if (count <= 0 || count >= this.#rows.length) return;
    const turned = this.#rows.slice(-count);
    this.#body.prepend(...turned.map(({ element }) => element));
    this.#rows = [...turned, ...this.#rows.slice(0, -count)];
  }

  readonly #onClick = (event: MouseEvent): void => {
    const element = (event.target as Element).closest('[role="row"]');
    const row = this.#rows.find((one) => one.element === element);
    if (row?.trade !== undefined) this.#options.onPick(row.trade.price);
  };
}

class TapeRow {
  readonly element: HTMLElement;
  readonly button: HTMLButtonElement;
  trade: TapeTrade | undefined;
  readonly #options: TapeRendererOptions;
  readonly #price: TextWriter;
  readonly #quantity: TextWriter;
  readonly #time: TextWriter;
  readonly #taker: AttributeWriter;
  readonly #empty: AttributeWriter;

  constructor(body: HTMLElement, options: TapeRendererOptions) {
    this.#options = options;
    this.element = appendElement(body, "row", { role: "row" });
    this.button = appendPriceButton(this.element);
    const cell = { tag: "span", role: "cell" } as const;
    this.#price = new TextWriter(this.button);
    this.#quantity = new TextWriter(appendElement(this.element, "quantity", cell));
    this.#time = new TextWriter(appendElement(this.element, "time", cell));
    this.#taker = new AttributeWriter(this.element, "data-taker");
    this.#empty = new AttributeWriter(this.element, "data-empty");
    this.#empty.write("");
  }

  draw(trade: TapeTrade | undefined): void {
    if (trade === this.trade) return;
    this.trade = trade;
    this.#empty.write(trade === undefined ? "" : null);
    if (trade === undefined) return;
    const { priceDecimals, quantityDecimals } = this.#options;
    this.#price.write(groupDecimal(trade.price, priceDecimals));
    this.#quantity.write(groupDecimal(trade.qty, quantityDecimals));
    this.#time.write(TIME.format(trade.time));
    this.#taker.write(trade.isBuyerMaker ? "sell" : "buy");
  }
}
