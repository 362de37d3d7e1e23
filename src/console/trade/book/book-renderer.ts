/**
 * Draws an order book without React: rows are created once for the available space, and each draw
 * writes only what changed. Asks are above, the best one lowest; bids below.
 */
import { formatDecimal } from "../../../domain/index.ts";
import { decimalsOf, groupDecimal, rateText } from "../../decimals/format.ts";
import {
  appendElement,
  appendHeader,
  appendPriceButton,
  enableArrowKeys,
} from "../dom/elements.ts";
import { AttributeWriter, TextWriter } from "../dom/writers.ts";
import {
  type BookScale,
  type GroupedLevel,
  groupLevels,
  groupPrice,
  type Level,
  type Side,
  type Spread,
  spreadOf,
} from "./book-rows.ts";

export interface BookRendererOptions extends BookScale {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  /** Levels per side in the stream. */
  readonly levelsMax: number;
  /** Called with the price of a clicked row. */
  readonly onPick: (price: string) => void;
}

export interface BookData {
  /** Best first, like the asks. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  /** Price step, a multiple of the tick. */
  readonly step: string;
  /** "0" before the first trade. */
  readonly lastPrice: string;
  readonly direction: "up" | "down" | "none";
  /** Null on spot. */
  readonly markPrice: string | null;
  /** Prices of the user's own open orders. */
  readonly ownPrices: Readonly<Record<Side, readonly string[]>>;
}

const ARROWS = { up: "↑", down: "↓", none: "" } as const;
/** Distinct bar widths: smaller changes are invisible and not drawn. */
const BAR_WIDTHS = 250n;
const SPREAD_PLACES = 3;

export class BookRenderer {
  readonly #options: BookRendererOptions;
  readonly #table: HTMLElement;
  readonly #groups: Readonly<Record<Side, HTMLElement>>;
  readonly #rows: Readonly<Record<Side, BookRow[]>> = { bids: [], asks: [] };
  readonly #middle: BookMiddle;
  /** Elements that are not price rows. */
  readonly #fixed: readonly HTMLElement[];
  readonly #stop: () => void;

  constructor(host: HTMLElement, options: BookRendererOptions) {
    this.#options = options;
    const { symbol, baseAsset, quoteAsset } = options;
    const table = appendElement(host, "table", { role: "table" });
    table.setAttribute("aria-label", `Order book of ${symbol}`);
    const titles = [`Price (${quoteAsset})`, `Qty (${baseAsset})`, "Total"];
    const head = appendHeader(table, titles);
    const asks = sideGroup(table, "asks", "Asks");
    this.#middle = new BookMiddle(table, options);
    const bids = sideGroup(table, "bids", "Bids");
    this.#table = table;
    this.#groups = { bids, asks };
    this.#fixed = [head, this.#middle.element];
    const stopKeys = enableArrowKeys(table);
    table.addEventListener("click", this.#onClick);
    this.#stop = () => {
      stopKeys();
      table.removeEventListener("click", this.#onClick);
    };
  }

  /** Pixels of the header and the middle row. */
  get fixedHeight(): number {
    return this.#fixed.reduce((height, element) => height + element.offsetHeight, 0);
  }

  /** Sets the number of rows; the next draw fills them. */
  resize(counts: Readonly<Record<Side, number>>): void {
    for (const side of ["asks", "bids"] as const) {
      const rows = this.#rows[side];
      while (rows.length > counts[side]) rows.pop()?.element.remove();
      while (rows.length < counts[side]) {
        const row = new BookRow(this.#groups[side]);
        // Row 0 is the best price: the lowest of the asks, the highest of the bids.
        if (side === "asks") this.#groups.asks.prepend(row.element);
        rows.push(row);
      }
    }
    // Tab reaches the best bid, or the row that had the focus last.
    const all = [...this.#rows.bids, ...this.#rows.asks];
    const [first] = all;
    if (first !== undefined && !all.some(({ button }) => button.tabIndex === 0)) {
      first.button.tabIndex = 0;
    }
  }

  draw(book: BookData): void {
    const { step, ownPrices } = book;
    const { priceDecimals } = this.#options;
    const sides = { asks: this.#group(book, "asks"), bids: this.#group(book, "bids") };
    const most = bigger(sides.asks.at(-1)?.total, sides.bids.at(-1)?.total);
    for (const side of ["asks", "bids"] as const) {
      const own = ownPrices[side].map((price) => groupPrice(price, side, step, priceDecimals));
      const format = { ...this.#options, decimals: decimalsOf(step), most, own };
      const rows = this.#rows[side];
      for (let i = 0; i < rows.length; i++) rows[i]?.draw(sides[side][i], format);
    }
    this.#middle.draw(book);
  }

  close(): void {
    this.#stop();
    this.#table.remove();
  }

  #group({ step, ...book }: BookData, side: Side): GroupedLevel[] {
    const { priceDecimals, quantityDecimals, levelsMax } = this.#options;
    const rowsMax = this.#rows[side].length;
    const isCut = book[side].length >= levelsMax;
    const grouping = { priceDecimals, quantityDecimals, step, rowsMax, isCut };
    return rowsMax === 0 ? [] : groupLevels(book[side], side, grouping);
  }

  readonly #onClick = (event: MouseEvent): void => {
    const element = (event.target as Element).closest('[role="row"]');
    for (const row of [...this.#rows.asks, ...this.#rows.bids]) {
      if (row.element === element && row.price !== null) this.#options.onPick(row.price);
    }
  };
}

interface RowFormat extends BookScale {
  /** Decimals of a shown price. */
  readonly decimals: number;
  /** The total of the widest bar. */
  readonly most: bigint;
  /** Groups that contain an order of the user. */
  readonly own: readonly bigint[];
}

class BookRow {
  readonly element: HTMLElement;
  readonly button: HTMLButtonElement;
  /** Plain decimal text; null while the row is empty. */
  price: string | null = null;
  readonly #bar: HTMLElement;
  readonly #texts: { readonly price: TextWriter; quantity: TextWriter; total: TextWriter };
  readonly #empty: AttributeWriter;
  readonly #own: AttributeWriter;
  #shown: GroupedLevel | null = null;
  #shownDecimals = -1;
  #barWidth = -1;

  constructor(group: HTMLElement) {
    this.element = appendElement(group, "row", { role: "row" });
    this.button = appendPriceButton(this.element);
    const cell = { tag: "span", role: "cell" } as const;
    this.#texts = {
      price: new TextWriter(this.button),
      quantity: new TextWriter(appendElement(this.element, "quantity", cell)),
      total: new TextWriter(appendElement(this.element, "total", cell)),
    };
    this.#bar = appendElement(this.element, "bar", { tag: "span", role: "presentation" });
    this.#empty = new AttributeWriter(this.element, "data-empty");
    this.#own = new AttributeWriter(this.element, "data-own");
    this.#empty.write("");
  }

  draw(level: GroupedLevel | undefined, format: RowFormat): void {
    this.#empty.write(level === undefined ? "" : null);
    if (level === undefined) {
      this.price = null;
      return;
    }
    this.#drawTexts(level, format);
    this.#own.write(format.own.includes(level.price) ? "" : null);
    this.#drawBar(Number((level.total * BAR_WIDTHS) / format.most));
  }

  /** Formats only the numbers that changed. */
  #drawTexts(level: GroupedLevel, format: RowFormat): void {
    const before = this.price === null ? null : this.#shown;
    const { priceDecimals, quantityDecimals, decimals } = format;
    if (before?.price !== level.price || this.#shownDecimals !== decimals) {
      this.price = formatDecimal(level.price, priceDecimals);
      this.#texts.price.write(groupDecimal(this.price, decimals));
    }
    if (before?.quantity !== level.quantity) {
      const quantity = formatDecimal(level.quantity, quantityDecimals);
      this.#texts.quantity.write(groupDecimal(quantity, quantityDecimals));
    }
    if (before?.total !== level.total) {
      const total = formatDecimal(level.total, quantityDecimals);
      this.#texts.total.write(groupDecimal(total, quantityDecimals));
    }
    this.#shown = level;
    this.#shownDecimals = decimals;
  }

  #drawBar(width: number): void {
    if (width === this.#barWidth) return;
    this.#barWidth = width;
    this.#bar.style.transform = `scaleX(${width / Number(BAR_WIDTHS)})`;
  }
}

/** Between the sides: the last price, the mark, the spread. */
class BookMiddle {
  readonly element: HTMLElement;
  readonly #scale: BookScale;
  readonly #direction: AttributeWriter;
  readonly #last: TextWriter;
  readonly #arrow: TextWriter;
  readonly #mark: TextWriter;
  readonly #spread: TextWriter;

  constructor(table: HTMLElement, scale: BookScale) {
    this.#scale = scale;
    this.element = appendElement(table, "middle", { role: "rowgroup" });
    const row = appendElement(this.element, "middle-row", { role: "row" });
    const last = appendElement(row, "last", { tag: "span", role: "cell" });
    last.title = "Last price";
    this.#direction = new AttributeWriter(last, "data-direction");
    this.#last = new TextWriter(appendElement(last, "last-price", { tag: "span" }));
    this.#arrow = new TextWriter(appendElement(last, "arrow", { tag: "span" }));
    const mark = appendElement(row, "mark", { tag: "span", role: "cell" });
    mark.title = "Mark price";
    this.#mark = new TextWriter(mark);
    const spread = appendElement(row, "spread", { tag: "span", role: "cell" });
    spread.title = "Bid-ask spread";
    this.#spread = new TextWriter(spread);
  }

  draw({ bids, asks, lastPrice, direction, markPrice }: BookData): void {
    const { priceDecimals } = this.#scale;
    this.#direction.write(direction);
    this.#last.write(lastPrice === "0" ? "–" : groupDecimal(lastPrice, priceDecimals));
    this.#arrow.write(ARROWS[direction]);
    this.#mark.write(markPrice === null ? "" : `Mark ${groupDecimal(markPrice, priceDecimals)}`);
    const spread = spreadOf(bids[0]?.[0], asks[0]?.[0], priceDecimals);
    this.#spread.write(spread === null ? "" : this.#spreadText(spread));
  }

  #spreadText({ amount, fraction }: Spread): string {
    const percent = rateText(fraction, SPREAD_PLACES);
    return `Spread ${groupDecimal(amount, this.#scale.priceDecimals)} (${percent})`;
  }
}

function sideGroup(table: HTMLElement, side: Side, label: string): HTMLElement {
  const group = appendElement(table, side, { role: "rowgroup" });
  group.setAttribute("aria-label", label);
  return group;
}

/** At least 1, so that an empty book divides by no zero. */
function bigger(one: bigint | undefined, other: bigint | undefined): bigint {
  const [a, b] = [one ?? 1n, other ?? 1n];
  const most = a > b ? a : b;
  return most > 0n ? most : 1n;
}
