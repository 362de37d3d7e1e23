/** Markets on demand: the book, the price and the funding rate that a test asks for. */
import type { OperatorCalls } from "./operator-calls.ts";

/** Decimals in text. */
export type BookLevel = readonly [price: string, quantity: string];

/** Spot by default, or the contract if the symbol is not a spot market. */
export type MarketProduct = "spot" | "contract";

export interface BookLevels {
  readonly bids?: readonly BookLevel[];
  readonly asks?: readonly BookLevel[];
}

/** The house's orders, best price first. */
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
  /** Duration of the move in exchange time; by default the price jumps. */
  readonly inMs?: number;
  /** `linear` by default for a move with `inMs`. */
  readonly path?: "jump" | "linear" | "random-walk";
  /** Standard deviation over the whole random walk, as a fraction. */
  readonly volatility?: number;
  /** Seed of a random walk; random by default. */
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
  /** Side of a one-sided book; bids by default. */
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
   * Replaces the house's orders with exactly this book. Users' orders stay; those that the book
   * crosses are filled.
   */
  book({ bids = [], asks = [] }: BookLevels): Promise<HouseBook> {
    return this.#operator.call("POST", `${this.#path}/book`, this.#body({ bids, asks }));
  }

  /** Cancels the house's orders. */
  clearBook(): Promise<HouseBook> {
    const query = this.#product === undefined ? "" : `?product=${this.#product}`;
    return this.#operator.call("DELETE", `${this.#path}/book${query}`);
  }

  /**
   * Resolves when the market has traded at the price. Users' orders in between are filled; the
   * house's book moves along, and so does the symbol's contract if its index was set.
   */
  price(to: string, options: PriceOptions = {}): Promise<PriceMoved> {
    return this.#operator.call("POST", `${this.#path}/price`, this.#body({ ...options, to }));
  }

  /** Pins the contract's mark price; null unpins it. */
  mark(mark: string | null, options: PriceOptions = {}): Promise<PriceMoved> {
    return this.#operator.call("POST", `${this.#path}/price`, { ...options, mark });
  }

  /** The house quotes the market by a model, until `book` or `clearBook`. */
  liquidity(model: LiquidityModel, options: LiquidityOptions = {}): Promise<HouseLiquidity> {
    const body = this.#body({ model, ...options });
    return this.#operator.call("PUT", `${this.#path}/liquidity`, body);
  }

  /** Sets the contract's next funding rate; null restores the computed one. */
  funding(rate: string | null): Promise<NextFunding> {
    return this.#operator.call("POST", `${this.#path}/funding`, { rate });
  }

  #body(fields: object): object {
    return this.#product === undefined ? fields : { product: this.#product, ...fields };
  }
}
