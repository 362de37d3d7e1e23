/** Prices and quantities of a recording, checked against the market that replays it. */
import { formatSteps, type Grid, parseGrid, parseSteps } from "../domain/index.ts";
import { TapeError } from "./tape-error.ts";

/** The market's rules, as the operator API shows them. */
export interface TapeMarket {
  readonly symbol: string;
  readonly tickSize: string;
  readonly stepSize: string;
}

export class MarketGrid {
  readonly tick: Grid;
  readonly step: Grid;
  readonly #market: TapeMarket;

  constructor(market: TapeMarket) {
    const tick = parseGrid(market.tickSize);
    const step = parseGrid(market.stepSize);
    if (tick === null || step === null) throw new TypeError("the rules of the market are no grid");
    this.tick = tick;
    this.step = step;
    this.#market = market;
  }

  /** In ticks. Throws `TapeError`. */
  price(text: string, field = "price"): number {
    const ticks = parseSteps(plain(text), this.tick);
    if (typeof ticks === "number" && ticks > 0) return ticks;
    const { symbol, tickSize } = this.#market;
    throw ticks === "off-grid"
      ? new TapeError(field, `${text} is not a multiple of ${tickSize}, the tick of ${symbol}`)
      : new TapeError(field, `"${text}" is not a price above 0`);
  }

  /** In lots. Throws `TapeError`. */
  quantity(text: string, field = "quantity"): number {
    const lots = parseSteps(plain(text), this.step);
    if (typeof lots === "number" && lots > 0) return lots;
    const { symbol, stepSize } = this.#market;
    throw lots === "off-grid"
      ? new TapeError(field, `${text} is not a multiple of ${stepSize}, the step of ${symbol}`)
      : new TapeError(field, `"${text}" is not a quantity above 0`);
  }

  priceText(ticks: number): string {
    return formatSteps(ticks, this.tick);
  }

  quantityText(lots: number): string {
    return formatSteps(lots, this.step);
  }
}

/** Spreadsheets and pandas write `1e-05`, `5.` and `.5`; decimals of the domain are plainer. */
function plain(text: string): string {
  if (/^\d+(\.\d+)?$/.test(text)) return text.replace(/^0+(?=\d)/, "");
  const [, whole = "", fraction = "", sign = "", power = "0"] =
    /^(\d*)\.?(\d*)(?:[eE]([+-]?)(\d{1,2}))?$/.exec(text) ?? [];
  if (whole === "" && fraction === "") return text;
  const shift = Number(power) * (sign === "-" ? -1 : 1);
  const digits = `${"0".repeat(40)}${whole}${fraction}${"0".repeat(40)}`;
  const point = 40 + whole.length + shift;
  const before = digits.slice(0, point).replace(/^0+(?=\d)/, "");
  const after = digits.slice(point).replace(/0+$/, "");
  return after === "" ? before : `${before}.${after}`;
}
