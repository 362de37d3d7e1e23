/** The fee rates in force for one user: the user's own, otherwise those of the market. */
import {
  formatDecimal,
  invariant,
  type Product,
  parseDecimal,
  RATE_SCALE,
} from "../../domain/index.ts";
import type { FeeRatesView } from "../../protocol/index.ts";
import type { Instruments } from "../channels/instruments.ts";

export interface FeeRates {
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
}

export class UserFeeRates {
  readonly #product: Product;
  readonly #instruments: Instruments;
  /** By symbol; "" for the rates of all markets. */
  readonly #own = new Map<string, FeeRates>();

  constructor(product: Product, instruments: Instruments) {
    this.#product = product;
    this.#instruments = instruments;
  }

  set({ product, symbol, makerFeeRate, takerFeeRate }: FeeRatesView): void {
    if (product !== this.#product) return;
    const own = { makerFeeRate: rateText(makerFeeRate), takerFeeRate: rateText(takerFeeRate) };
    this.#own.set(symbol ?? "", own);
  }

  of(symbol: string): FeeRates {
    const own = this.#own.get(symbol) ?? this.#own.get("");
    if (own !== undefined) return own;
    const { makerFeeRate, takerFeeRate } = this.#instruments.market(this.#product, symbol);
    return { makerFeeRate: rateText(makerFeeRate), takerFeeRate: rateText(takerFeeRate) };
  }
}

/** Events carry rates as operators wrote them. */
function rateText(text: string): string {
  const rateE8 = parseDecimal(text, RATE_SCALE);
  invariant(typeof rateE8 === "bigint", `a rate in force is no decimal: ${text}`);
  return formatDecimal(rateE8, RATE_SCALE);
}
