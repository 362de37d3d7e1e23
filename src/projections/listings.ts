/**
 * Assets and spot markets as they were listed when an event happened: what turns its ticks, lots
 * and minor units into decimal text. Kept in the store, so that a projector continues with the
 * right ones.
 */
import { formatDecimal, formatSteps, type Grid, invariant, parseGrid } from "../domain/index.ts";
import type { EventOf } from "../protocol/index.ts";
import type { AssetsTable, RowSink, SpotMarketsTable } from "../store/index.ts";

export interface SpotMarket {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly baseScale: number;
  readonly quoteScale: number;
  readonly tick: Grid;
  readonly step: Grid;
}

export function priceText(market: SpotMarket, ticks: number): string {
  return formatSteps(ticks, market.tick);
}

export function quantityText(market: SpotMarket, lots: number): string {
  return formatSteps(lots, market.step);
}

export function baseText(market: SpotMarket, minor: bigint): string {
  return formatDecimal(minor, market.baseScale);
}

export function quoteText(market: SpotMarket, minor: bigint): string {
  return formatDecimal(minor, market.quoteScale);
}

export class Listings {
  readonly #scales = new Map<string, number>();
  readonly #rows = new Map<string, SpotMarketsTable>();
  readonly #markets = new Map<string, SpotMarket>();

  constructor(assets: readonly AssetsTable[], markets: readonly SpotMarketsTable[]) {
    for (const { asset, scale } of assets) this.#scales.set(asset, scale);
    for (const row of markets) this.#setMarket(row);
  }

  setAsset(event: EventOf<"asset-set">, sink: RowSink): void {
    const row = { asset: event.asset, scale: event.scale };
    this.#scales.set(row.asset, row.scale);
    // The scale of an asset may change until it is first posted, after markets were listed in it.
    for (const market of this.#rows.values()) {
      if (market.base_asset === row.asset || market.quote_asset === row.asset) {
        this.#setMarket(market);
      }
    }
    sink.upsert("assets", ["asset"], row);
  }

  setSpotMarket(event: EventOf<"spot-market-set">, sink: RowSink): void {
    const row = {
      symbol: event.symbol,
      base_asset: event.baseAsset,
      quote_asset: event.quoteAsset,
      tick_size: event.tickSize,
      step_size: event.stepSize,
    };
    this.#setMarket(row);
    sink.upsert("spot_markets", ["symbol"], row);
  }

  scaleOf(asset: string): number {
    const scale = this.#scales.get(asset);
    invariant(scale !== undefined, `asset ${asset} has an event but was never listed`);
    return scale;
  }

  amountText(asset: string, minor: bigint): string {
    return formatDecimal(minor, this.scaleOf(asset));
  }

  spotMarket(symbol: string): SpotMarket {
    const market = this.#markets.get(symbol);
    invariant(market !== undefined, `market ${symbol} has an event but was never listed`);
    return market;
  }

  #setMarket(row: SpotMarketsTable): void {
    const tick = parseGrid(row.tick_size);
    const step = parseGrid(row.step_size);
    invariant(tick !== null && step !== null, `tick or step of market ${row.symbol} is unreadable`);
    this.#rows.set(row.symbol, row);
    this.#markets.set(row.symbol, {
      symbol: row.symbol,
      baseAsset: row.base_asset,
      quoteAsset: row.quote_asset,
      baseScale: this.scaleOf(row.base_asset),
      quoteScale: this.scaleOf(row.quote_asset),
      tick,
      step,
    });
  }
}
