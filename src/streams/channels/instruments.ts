/**
 * Assets and markets as listed at the current event: converts its ticks, lots and minor units to
 * decimal text, and knows which symbols exist.
 */
import {
  formatDecimal,
  formatSteps,
  type Grid,
  invariant,
  type Product,
  parseGrid,
} from "../../domain/index.ts";
import type { Event } from "../../protocol/index.ts";
import type { StreamSources } from "./ports.ts";

/** Money of a contract is in its margin asset, which is its quote asset. */
export interface Listing {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly tick: Grid;
  readonly step: Grid;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
  readonly liquidateFeeRate: string;
  /** 0 on spot. */
  readonly defaultLeverage: number;
}

interface ListedTexts {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly tickSize: string;
  readonly stepSize: string;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
  readonly liquidateFeeRate?: string;
  readonly defaultLeverage?: number;
}

export class Instruments {
  readonly #scales = new Map<string, number>();
  readonly #markets: Readonly<Record<Product, Map<string, Listing>>> = {
    spot: new Map(),
    contract: new Map(),
  };
  /** What events have told while the listings were asked for: they may be ahead of the answer. */
  #toldMeanwhile: Set<string> = new Set();

  /** Reads the current listings; false when the exchange is too busy to answer. */
  async load({ engine }: Pick<StreamSources, "engine">): Promise<boolean> {
    this.#toldMeanwhile = new Set();
    const [assets, spot, contracts] = await Promise.all([
      engine.query({ type: "assets" }),
      engine.query({ type: "spot-markets", symbol: null }),
      engine.query({ type: "contract-markets", symbol: null }),
    ]);
    if (!assets.ok || !spot.ok || !contracts.ok) return false;
    const isNew = (product: Product, { symbol }: ListedTexts) =>
      !this.#toldMeanwhile.has(`${product}:${symbol}`);
    for (const { asset, scale } of assets.value) this.#scales.set(asset, scale);
    for (const market of spot.value) if (isNew("spot", market)) this.#set("spot", market);
    for (const market of contracts.value) {
      if (isNew("contract", market)) this.#set("contract", market);
    }
    return true;
  }

  clear(): void {
    this.#scales.clear();
    this.#markets.spot.clear();
    this.#markets.contract.clear();
  }

  apply(event: Event): void {
    if (event.type === "asset-set") this.#scales.set(event.asset, event.scale);
    else if (event.type === "spot-market-set") this.#told("spot", event);
    else if (event.type === "contract-market-set") this.#told("contract", event);
  }

  #told(product: Product, market: ListedTexts): void {
    this.#toldMeanwhile.add(`${product}:${market.symbol}`);
    this.#set(product, market);
  }

  has(product: Product, symbol: string): boolean {
    return this.#markets[product].has(symbol);
  }

  market(product: Product, symbol: string): Listing {
    const listing = this.#markets[product].get(symbol);
    invariant(listing !== undefined, `${symbol} has an event but was never listed`);
    return listing;
  }

  amountText(asset: string, minor: bigint): string {
    return formatDecimal(minor, this.scaleOf(asset));
  }

  scaleOf(asset: string): number {
    const scale = this.#scales.get(asset);
    invariant(scale !== undefined, `asset ${asset} has an event but was never listed`);
    return scale;
  }

  #set(product: Product, texts: ListedTexts): void {
    const { symbol, baseAsset, quoteAsset, makerFeeRate, takerFeeRate } = texts;
    const tick = parseGrid(texts.tickSize);
    const step = parseGrid(texts.stepSize);
    invariant(tick !== null && step !== null, `tick or step of market ${symbol} is unreadable`);
    this.#markets[product].set(symbol, {
      symbol,
      baseAsset,
      quoteAsset,
      tick,
      step,
      makerFeeRate,
      takerFeeRate,
      liquidateFeeRate: texts.liquidateFeeRate ?? "0",
      defaultLeverage: texts.defaultLeverage ?? 0,
    });
  }
}

export function priceText({ tick }: Listing, ticks: number): string {
  return formatSteps(ticks, tick);
}

export function quantityText({ step }: Listing, lots: number): string {
  return formatSteps(lots, step);
}
