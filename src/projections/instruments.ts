/**
 * Assets and markets as listed when an event happened: they turn its ticks, lots and minor units
 * into decimal text. Stored, so that a projector continues with the right ones.
 */
import {
  divideRoundingHalfUp,
  formatDecimal,
  formatSteps,
  type Grid,
  invariant,
  PRICE_TYPES,
  type PriceType,
  parseGrid,
  powerOfTen,
  RATE_SCALE,
} from "../domain/index.ts";
import type { EventOf } from "../protocol/index.ts";
import type { Row, RowSink } from "../store/index.ts";

/** The units of a market's prices and quantities. */
interface Grids {
  readonly tick: Grid;
  readonly step: Grid;
}

export interface SpotMarket extends Grids {
  /** Of its candles. */
  readonly key: string;
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly baseScale: number;
  readonly quoteScale: number;
}

/** Amounts of a contract are in its margin asset, which is the quote asset. */
export interface ContractMarket extends Grids {
  readonly symbol: string;
  readonly marginAsset: string;
  readonly marginScale: number;
  /** The same object until the market is set again. */
  readonly candles: Readonly<Record<PriceType, ContractCandleSeries>>;
}

/** The candles of one price of a contract. */
export interface ContractCandleSeries {
  readonly key: string;
  readonly symbol: string;
  readonly priceType: PriceType;
  readonly tick: Grid;
  readonly baseScale: number;
  readonly quoteScale: number;
}

export function priceText(market: Pick<Grids, "tick">, ticks: number): string {
  return formatSteps(ticks, market.tick);
}

export function quantityText(market: Pick<Grids, "step">, lots: number): string {
  return formatSteps(lots, market.step);
}

/** An amount of a contract. */
export function marginText(market: ContractMarket, minor: bigint): string {
  return formatDecimal(minor, market.marginScale);
}

/** Value / quantity to 8 decimals, half up; "0" without a quantity. */
export function averagePriceText(market: ContractMarket, lots: number, valueMinor: bigint): string {
  if (lots === 0) return "0";
  const { step, marginScale } = market;
  const value = valueMinor * powerOfTen(step.scale) * powerOfTen(RATE_SCALE);
  const quantity = BigInt(lots) * BigInt(step.step) * powerOfTen(marginScale);
  return formatDecimal(divideRoundingHalfUp(value, quantity), RATE_SCALE);
}

export function baseText(market: SpotMarket, minor: bigint): string {
  return formatDecimal(minor, market.baseScale);
}

export function quoteText(market: SpotMarket, minor: bigint): string {
  return formatDecimal(minor, market.quoteScale);
}

export class Instruments {
  readonly #scales = new Map<string, number>();
  readonly #rows = new Map<string, Row<"spot_markets">>();
  readonly #markets = new Map<string, SpotMarket>();
  readonly #contractRows = new Map<string, Row<"contract_markets">>();
  readonly #contracts = new Map<string, ContractMarket>();

  constructor(
    assets: readonly Row<"assets">[],
    markets: readonly Row<"spot_markets">[],
    contracts: readonly Row<"contract_markets">[],
  ) {
    for (const { asset, scale } of assets) this.#scales.set(asset, scale);
    for (const row of markets) this.#setMarket(row);
    for (const row of contracts) this.#setContract(row);
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
    for (const contract of this.#contractRows.values()) {
      if ([contract.base_asset, contract.quote_asset].includes(row.asset)) {
        this.#setContract(contract);
      }
    }
    sink.upsert("assets", row);
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
    sink.upsert("spot_markets", row);
  }

  setContractMarket(event: EventOf<"contract-market-set">, sink: RowSink): void {
    const row = {
      symbol: event.symbol,
      base_asset: event.baseAsset,
      quote_asset: event.quoteAsset,
      margin_asset: event.marginAsset,
      tick_size: event.tickSize,
      step_size: event.stepSize,
    };
    this.#setContract(row);
    sink.upsert("contract_markets", row);
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

  contractMarket(symbol: string): ContractMarket {
    const market = this.#contracts.get(symbol);
    invariant(market !== undefined, `contract ${symbol} has an event but was never listed`);
    return market;
  }

  #setContract(row: Row<"contract_markets">): void {
    const { symbol } = row;
    const grids = gridsOf(row);
    const baseScale = this.scaleOf(row.base_asset);
    const quoteScale = this.scaleOf(row.quote_asset);
    const series = PRICE_TYPES.map((priceType): [PriceType, ContractCandleSeries] => [
      priceType,
      { key: `${symbol}|${priceType}`, symbol, priceType, tick: grids.tick, baseScale, quoteScale },
    ]);
    this.#contractRows.set(symbol, row);
    this.#contracts.set(symbol, {
      symbol,
      marginAsset: row.margin_asset,
      marginScale: this.scaleOf(row.margin_asset),
      candles: Object.fromEntries(series) as ContractMarket["candles"],
      ...grids,
    });
  }

  #setMarket(row: Row<"spot_markets">): void {
    const { tick, step } = gridsOf(row);
    this.#rows.set(row.symbol, row);
    this.#markets.set(row.symbol, {
      key: row.symbol,
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

function gridsOf(row: Row<"spot_markets"> | Row<"contract_markets">): Grids {
  const tick = parseGrid(row.tick_size);
  const step = parseGrid(row.step_size);
  invariant(tick !== null && step !== null, `tick or step of market ${row.symbol} is unreadable`);
  return { tick, step };
}
