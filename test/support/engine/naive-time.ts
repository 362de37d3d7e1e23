/**
 * The passing of time as the rules say it, without any saving: every second, every minute and every
 * slot of every market happens, one by one, on plain arrays. The test oracle of timers, prices,
 * premiums and funding rates.
 */
import { floorDivide } from "../../../src/domain/index.ts";
import type { ContractMarket } from "../../../src/engine/contract/state/contract-market.ts";
import type { Quote } from "./quoted-book.ts";

interface Book {
  bids: readonly Quote[];
  asks: readonly Quote[];
  /** Counts changes. */
  version: number;
}

interface Sample {
  readonly atMs: number;
  readonly halfTicks: number;
}

export interface NaiveSettlement {
  readonly symbol: string;
  readonly slotMs: number;
  readonly rateE8: number;
  readonly premiumSamples: number;
  readonly indexTicks: number;
  readonly markTicks: number;
}

/** A spot tick is this many contract ticks in these tests. */
export const TICKS_PER_SPOT_TICK = 5;

/** A fraction; the denominator is above zero. */
type Fraction = readonly [bigint, bigint];

function halfUp([numerator, denominator]: Fraction): bigint {
  return floorDivide(2n * numerator + denominator, 2n * denominator);
}

function isLess([n, d]: Fraction, [on, od]: Fraction): boolean {
  return n * od < on * d;
}

function add([n, d]: Fraction, [on, od]: Fraction): Fraction {
  return [n * od + on * d, d * od];
}

function minus([n, d]: Fraction): Fraction {
  return [-n, d];
}

function clamp(value: Fraction, most: Fraction): Fraction {
  if (isLess(most, value)) return most;
  return isLess(value, minus(most)) ? minus(most) : value;
}

export class NaiveMarket {
  readonly market: ContractMarket;
  readonly book: Book = { bids: [], asks: [], version: 0 };
  /** Null where no spot market of the pair is listed. */
  readonly spot: Book | null;
  isOperators = false;
  index = 0;
  atMs = 0;
  blockedVersion = -1;
  spotSamples: Sample[] = [];
  samples: Sample[] = [];
  pinned = 0;
  mark = 0;
  riskFromMs = 0;
  isSpotTrading = true;
  premiums: bigint[] = [];
  nextSlotMs = 0;
  pendingSlotMs = 0;
  lastSlotMs = 0;
  lastRateE8 = 0;

  constructor(market: ContractMarket, hasSpot: boolean) {
    this.market = market;
    this.spot = hasSpot ? { bids: [], asks: [], version: 0 } : null;
    this.nextSlotMs = market.funding.nextSlotMs;
  }

  isFresh(nowMs: number): boolean {
    const { indexStaleMs } = this.market.rules;
    if (this.pinned > 0) return true;
    return this.index > 0 && (indexStaleMs === 0 || nowMs - this.atMs <= indexStaleMs);
  }

  mayLiquidate(nowMs: number): boolean {
    return this.pinned > 0 || (this.isFresh(nowMs) && nowMs >= this.riskFromMs);
  }

  second(atMs: number): void {
    this.#sampleIndex(atMs);
    this.samples = this.samples.filter((sample) => sample.atMs > atMs - 30_000);
    const sum = this.#impactSum(this.book, this.market.rules.minorPerTickLot);
    if (sum !== null && this.index > 0) {
      this.samples.push({ atMs, halfTicks: Number(halfUp(sum)) - 2 * this.index });
    }
    this.refresh();
  }

  #sampleIndex(atMs: number): void {
    const { spot } = this;
    if (spot === null || this.isOperators) return;
    this.spotSamples = this.spotSamples.filter((sample) => sample.atMs > atMs - 15_000);
    const isSeen = this.isSpotTrading && spot.version !== this.blockedVersion;
    const perTickLot = this.market.rules.minorPerTickLot * BigInt(TICKS_PER_SPOT_TICK);
    const sum = isSeen ? this.#impactSum(spot, perTickLot) : null;
    if (sum !== null) {
      this.blockedVersion = -1;
      const halfTicks = Number(halfUp([sum[0] * BigInt(TICKS_PER_SPOT_TICK), sum[1]]));
      this.spotSamples.push({ atMs, halfTicks });
    }
    if (this.spotSamples.length < (this.index === 0 ? 15 : 8)) return;
    const sorted = this.spotSamples.map((sample) => sample.halfTicks).sort((a, b) => a - b);
    const upper = sorted[Math.floor(sorted.length / 2)] as number;
    const lower = sorted[Math.floor((sorted.length - 1) / 2)] as number;
    const median = Number(halfUp([BigInt(upper) + BigInt(lower), 4n]));
    const step = Math.max(1, Math.floor(this.index / 500));
    const isFirst = this.index === 0;
    this.index = isFirst
      ? median
      : Math.max(this.index - step, Math.min(this.index + step, median));
    this.atMs = atMs;
  }

  /** Impact bid and ask together; null unless both are there, at most 2 % of the middle apart. */
  #impactSum({ bids, asks }: Book, perTickLot: bigint): Fraction | null {
    const bid = this.#impact(bids, perTickLot);
    const ask = this.#impact(asks, perTickLot);
    if (bid === null || ask === null) return null;
    const [sum, below] = add(bid, ask);
    const widest: Fraction = [sum * 2n, below * 2n * 100n];
    return isLess(widest, add(ask, minus(bid))) ? null : [sum, below];
  }

  refresh(): void {
    this.mark = this.#markNow();
  }

  #markNow(): number {
    if (this.pinned > 0) return this.pinned;
    const sum = this.samples.reduce((total, sample) => total + sample.halfTicks, 0);
    const basis = Number(halfUp([BigInt(sum), 60n]));
    const bound = this.#bound();
    return this.index + Math.max(-bound, Math.min(bound, basis));
  }

  /** Half of what the highest leverage of a tier leaves over maintenance, 0.5 % at most. */
  #bound(): number {
    const { rules } = this.market;
    let least = 500_000n;
    for (const { maxLeverage, maintenanceMarginRateE8 } of rules.tiers) {
      const initial = 100_000_000n / BigInt(Math.min(rules.maxLeverage, maxLeverage));
      const kept = BigInt(maintenanceMarginRateE8 + rules.takerFeeRateE8);
      const half = floorDivide(initial - kept, 2n);
      if (half < least) least = half;
    }
    return least < 0n ? 0 : Number((BigInt(this.index) * least) / 100_000_000n);
  }

  /** What the last second saw stands for a short stop, and nothing for a long one. */
  repeatOrForget(lastMs: number, nowMs: number): void {
    const from = Math.floor(lastMs / 1000);
    const to = Math.floor(nowMs / 1000);
    if (to - from > 30) {
      this.samples = [];
      if (this.index > 0) this.riskFromMs = (to + 30) * 1000;
      return;
    }
    const last = this.samples.find(({ atMs }) => atMs === from * 1000);
    for (let second = from + 1; second <= to; second++) {
      const atMs = second * 1000;
      if (last !== undefined) this.samples.push({ atMs, halfTicks: last.halfTicks });
    }
    this.samples = this.samples.filter(({ atMs }) => atMs > (to - 30) * 1000);
  }

  minute(): void {
    if (this.index > 0) this.premiums.push(this.premiumE12());
  }

  premiumE12(): bigint {
    const index: Fraction = [BigInt(this.index), 1n];
    const perTickLot = this.market.rules.minorPerTickLot;
    const bid = this.#impact(this.book.bids, perTickLot);
    const ask = this.#impact(this.book.asks, perTickLot);
    const zero: Fraction = [0n, 1n];
    const above = bid === null ? zero : add(bid, minus(index));
    const below = ask === null ? zero : add(index, minus(ask));
    const difference = add(
      isLess(above, zero) ? zero : above,
      minus(isLess(below, zero) ? zero : below),
    );
    return halfUp([difference[0] * 10n ** 12n, difference[1] * index[0]]);
  }

  /** Notional over the quantity that it buys. */
  #impact(levels: readonly Quote[], minorPerTickLot: bigint): Fraction | null {
    const { impactNotionalMinor } = this.market.rules;
    let left = impactNotionalMinor;
    let lots: Fraction = [0n, 1n];
    for (const [ticks, quantity] of levels) {
      const perLot = BigInt(ticks) * minorPerTickLot;
      const value = perLot * BigInt(quantity);
      const taken = value < left ? value : left;
      lots = add(lots, [taken, perLot]);
      left -= taken;
      if (left === 0n) return [impactNotionalMinor * lots[1], minorPerTickLot * lots[0]];
    }
    return null;
  }

  rateE8(premiums: readonly bigint[]): number {
    const { rules } = this.market;
    const rate = (rateE8: number): Fraction => [BigInt(rateE8), 10n ** 8n];
    const sum = premiums.reduce((total, premium) => total + premium, 0n);
    const mean: Fraction = [sum, 10n ** 12n * BigInt(Math.max(1, premiums.length))];
    const pull = clamp(
      add(rate(rules.interestRateE8), minus(mean)),
      rate(rules.fundingInnerClampE8),
    );
    const capped = clamp(add(mean, pull), rate(rules.fundingRateCapE8));
    return Number(halfUp([capped[0] * 10n ** 8n, capped[1]]));
  }

  settle(slotMs: number): NaiveSettlement | null {
    const premiumSamples = this.premiums.length;
    this.lastRateE8 = this.mark === 0 ? 0 : this.rateE8(this.premiums);
    this.lastSlotMs = slotMs;
    this.premiums = [];
    if (this.mark === 0) return null;
    return {
      symbol: this.market.symbol,
      slotMs,
      rateE8: this.lastRateE8,
      premiumSamples,
      indexTicks: this.index,
      markTicks: this.mark,
    };
  }
}

export class NaiveTime {
  readonly markets: NaiveMarket[] = [];
  nowMs = 0;
  settlements: NaiveSettlement[] = [];

  advance(toMs: number): void {
    for (let atMs = (Math.floor(this.nowMs / 1000) + 1) * 1000; atMs <= toMs; atMs += 1000) {
      for (const market of this.markets) {
        market.second(atMs);
        this.settlePending(atMs);
      }
      if (atMs % 60_000 === 0) for (const market of this.markets) market.minute();
      for (const market of this.markets) if (market.nextSlotMs === atMs) this.#slot(market);
    }
    this.nowMs = toMs;
  }

  #slot(market: NaiveMarket): void {
    const slotMs = market.nextSlotMs;
    market.nextSlotMs += market.market.rules.fundingIntervalMs;
    market.pendingSlotMs = 0;
    this.#keep(market.settle(slotMs));
  }

  settlePending(nowMs: number): void {
    for (const market of this.markets) {
      if (market.pendingSlotMs === 0 || !market.isFresh(nowMs)) continue;
      this.#keep(market.settle(market.pendingSlotMs));
      market.pendingSlotMs = 0;
    }
  }

  #keep(settlement: NaiveSettlement | null): void {
    if (settlement !== null) this.settlements.push(settlement);
  }

  /** Starts again at `nowMs`: nothing was seen since the last command. */
  resume(nowMs: number): void {
    for (const market of this.markets) {
      const { fundingIntervalMs } = market.market.rules;
      market.spotSamples = [];
      market.repeatOrForget(this.nowMs, nowMs);
      if (market.spot !== null && !market.isOperators) market.blockedVersion = market.spot.version;
      const lastMs = Math.floor(nowMs / fundingIntervalMs) * fundingIntervalMs;
      const misses = market.nextSlotMs <= nowMs;
      if (misses) {
        market.pendingSlotMs = lastMs;
        market.nextSlotMs = lastMs + fundingIntervalMs;
      }
      if (nowMs - market.pendingSlotMs > 600_000) market.pendingSlotMs = 0;
      if (misses && market.pendingSlotMs === 0) market.premiums = [];
      market.refresh();
    }
    this.nowMs = nowMs;
  }
}
