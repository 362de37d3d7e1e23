/**
 * The value of coins in USDT: 1 for USDT, for another coin the last price of its spot market
 * against USDT, 0 before its first trade.
 */
import { formatDecimal, powerOfTen, SCALE_MAX } from "../../domain/index.ts";
import { decimalUnits, type Row, type RowSink } from "../../store/index.ts";
import type { Instruments, SpotMarket } from "../instruments.ts";

const USDT = "USDT";
/** Values in USDT are whole numbers of 10^-8. */
const VALUE_SCALE = 8;

export class UsdtPrices {
  readonly #instruments: Instruments;
  /** In 10^-18 USDT. */
  readonly #prices = new Map<string, bigint>();
  readonly #dirty = new Set<string>();

  constructor(instruments: Instruments, rows: readonly Row<"usdt_prices">[]) {
    this.#instruments = instruments;
    for (const { asset, price } of rows) this.#prices.set(asset, decimalUnits(price, SCALE_MAX));
  }

  /** A trade of a spot market. */
  record(market: SpotMarket, priceTicks: number): void {
    const { symbol, baseAsset, quoteAsset, tick } = market;
    if (quoteAsset !== USDT || symbol !== `${baseAsset}${USDT}`) return;
    const unitsPerTick = BigInt(tick.step) * powerOfTen(SCALE_MAX - tick.scale);
    this.#prices.set(baseAsset, BigInt(priceTicks) * unitsPerTick);
    this.#dirty.add(baseAsset);
  }

  /** The value of an amount, rounded down to 10^-8. */
  valueE8(asset: string, minor: bigint): bigint {
    const scale = this.#instruments.scaleOf(asset);
    if (asset === USDT) return (minor * powerOfTen(VALUE_SCALE)) / powerOfTen(scale);
    const price = this.#prices.get(asset);
    if (price === undefined) return 0n;
    return (minor * price * powerOfTen(VALUE_SCALE)) / (powerOfTen(SCALE_MAX) * powerOfTen(scale));
  }

  flush(sink: RowSink): void {
    for (const asset of this.#dirty) {
      const price = formatDecimal(this.#prices.get(asset) ?? 0n, SCALE_MAX);
      sink.upsert("usdt_prices", { asset, price });
    }
    this.#dirty.clear();
  }
}

export function valueText(valueE8: bigint): string {
  return formatDecimal(valueE8, VALUE_SCALE);
}

/** The inverse of `valueText`. */
export function valueE8Of(text: string): bigint {
  return decimalUnits(text, VALUE_SCALE);
}
