/** Markets on demand: the book, the price and the funding rate that a test asks for. */
import type { OperatorCalls } from "./operator-calls.ts";

/** Decimals in text. */
export type BookLevel = readonly [price: string, quantity: string];

/** Spot unless the symbol is listed as a contract alone. */
export type MarketProduct = "spot" | "contract";

export interface BookLevels {
  readonly bids?: readonly BookLevel[];
  readonly asks?: readonly BookLevel[];
}

/** The orders of the exchange's own account, best price first. */
export interface HouseBook {
  readonly symbol: string;
  readonly product: MarketProduct;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** Of the last trade; "0" before the first. */
  readonly lastPrice: string;
  readonly sequence: number;
}

export interface PriceOptions {
  /** How long the move takes, of exchange time; at once without it. */
  readonly inMs?: number;
  /** `linear` unless given, for a move that takes time. */
  readonly path?: "jump" | "linear" | "random-walk";
  /** Of a random walk: the standard deviation of its steps together, as a fraction. */
  readonly volatility?: number;
  /** What a random walk is drawn from; drawn itself unless given. */
  readonly seed?: number;
}

export interface PriceMoved {
  readonly symbol: string;
  readonly product: MarketProduct;
  /** Of the last trade. */
  readonly price: string;
  /** Of the contract of that symbol; null without one. */
  readonly markPrice: string | null;
  readonly steps: number;
  readonly seed: number | null;
  readonly sequence: number;
  readonly time: number;
}

export interface NextFunding {
  readonly symbol: string;
  readonly rate: string;
  readonly fundingTime: number;
  readonly lastRate: string;
}

export type LiquidityModel =
  | "tight"
  | "thin"
  | "one-sided"
  | "vanishes-on-take"
  | "last-look-never";

export interface LiquidityOptions {
  /** Of each level, in the quote asset, as decimal text. */
  readonly depth?: string;
  /** From the best bid to the best ask, as a fraction of the price: `"0.01"`. */
  readonly spread?: string;
  /** Of a one-sided book; bids unless given. */
  readonly side?: "bids" | "asks";
}

export interface HouseLiquidity {
  readonly symbol: string;
  readonly product: MarketProduct;
  readonly model: LiquidityModel | null;
  readonly depth: number | null;
  readonly spread: number | null;
  readonly side: "bids" | "asks" | null;
}

export class TestMarket {
  readonly #operator: OperatorCalls;
  readonly #path: string;
  readonly #product: MarketProduct | undefined;

  constructor(operator: OperatorCalls, symbol: string, product?: MarketProduct) {
    this.#operator = operator;
    this.#path = `sandbox/markets/${encodeURIComponent(symbol)}`;
    this.#product = product;
  }

  /**
   * The orders of the exchange's own account become exactly this book. Orders of users stay; those
   * that it crosses are filled.
   */
  book({ bids = [], asks = [] }: BookLevels): Promise<HouseBook> {
    return this.#operator.call("POST", `${this.#path}/book`, this.#body({ bids, asks }));
  }

  /** Takes the exchange's own orders out of the market. */
  clearBook(): Promise<HouseBook> {
    const query = this.#product === undefined ? "" : `?product=${this.#product}`;
    return this.#operator.call("DELETE", `${this.#path}/book${query}`);
  }

  /**
   * Resolves when the market has traded at the price. Orders of users on the way are filled, the
   * exchange's own book moves along, and so does the contract of a symbol whose index was set.
   */
  price(to: string, options: PriceOptions = {}): Promise<PriceMoved> {
    return this.#operator.call("POST", `${this.#path}/price`, this.#body({ ...options, to }));
  }

  /** Pins the mark of the contract and moves it there; null lets it go. */
  mark(mark: string | null, options: PriceOptions = {}): Promise<PriceMoved> {
    return this.#operator.call("POST", `${this.#path}/price`, { ...options, mark });
  }

  /** The exchange's own account quotes the market by a model, until `book` or `clearBook`. */
  liquidity(model: LiquidityModel, options: LiquidityOptions = {}): Promise<HouseLiquidity> {
    const body = this.#body({ model, ...options });
    return this.#operator.call("PUT", `${this.#path}/liquidity`, body);
  }

  /** The rate of the contract's next funding; null for the one that its premiums give. */
  funding(rate: string | null): Promise<NextFunding> {
    return this.#operator.call("POST", `${this.#path}/funding`, { rate });
  }

  #body(fields: object): object {
    return this.#product === undefined ? fields : { product: this.#product, ...fields };
  }
}
