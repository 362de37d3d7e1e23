/**
 * Index and mark of a contract. The index comes from the operator, or else from the spot market of
 * the same pair: the median of its last 30 one-second mids, so that one order cannot move it. The
 * mark is the index plus the mean of what the contract's own mid was above the index in the last 30
 * seconds, at most half a percent away from the index; with nothing on a side of the book it is the
 * index at once. Both are whole ticks.
 */
import {
  accept,
  divideRoundingHalfUp,
  parseDecimal,
  parseSteps,
  powerOfTen,
  type Result,
  reject,
  SCALE_MAX,
} from "../../domain/index.ts";
import type { CommandOf } from "../../protocol/index.ts";
import { BUY, NONE, SELL } from "../matching/slot.ts";
import { type Context, type SpotMarket, type State, spotBookVersion } from "../state.ts";
import { type ContractMarket, contractBookVersion } from "./contract-market.ts";
import {
  addSample,
  dropOld,
  floorQuotient,
  isSteady,
  meanTicks,
  medianTicks,
  repeatLast,
  rescaleSamples,
  sampleAt,
  secondOf,
} from "./price-samples.ts";

/**
 * Ticks of the highest index and mark. With price bands of at most ten times the mark, thirty
 * samples of any book add up to a safe integer.
 */
const INDEX_TICKS_MAX = 2 ** 42;

/** The mark stays within a two hundredth, half a percent, of the index. */
const BASIS_DIVISOR = 200;

/** The operator sets the index, rounded half up to the tick; from now on nobody else does. */
export function setIndexPrice(
  context: Context,
  command: CommandOf<"set-index-price">,
): Result<null> {
  const { actor, symbol } = command;
  const market = context.state.contract.marketsBySymbol.get(symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  const price = parseDecimal(command.price, SCALE_MAX);
  if (typeof price === "string") return reject(price, "price");
  const { tick } = market.rules;
  const perTick = BigInt(tick.step) * powerOfTen(SCALE_MAX - tick.scale);
  const ticks = divideRoundingHalfUp(price, perTick);
  if (ticks < 1n) return reject("out-of-range", "price", "at least half of tickSize");
  if (ticks > BigInt(INDEX_TICKS_MAX)) return reject("out-of-range", "price", "at most 2^42 ticks");
  const { indexPrice } = market;
  indexPrice.source = "operator";
  indexPrice.atMs = context.nowMs;
  indexPrice.spotSamples.length = 0;
  indexPrice.spotBlockedVersion = NONE;
  const indexTicks = Number(ticks);
  context.emit({ type: "index-price-set", actor, symbol, indexTicks });
  changeIndex(context, market, indexTicks);
  return accept(null);
}

/** Holds the mark at a price until it is let go by null. For sandboxes. */
export function pinMarkPrice(context: Context, command: CommandOf<"pin-mark-price">): Result<null> {
  const { actor, symbol, price } = command;
  const market = context.state.contract.marketsBySymbol.get(symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  let markTicks = 0;
  if (price !== null) {
    const ticks = parseSteps(price, market.rules.tick);
    if (ticks === "malformed") return reject("malformed", "price");
    if (ticks === "off-grid") return reject("off-tick", "price");
    if (ticks === "out-of-range" || ticks < 1 || ticks > INDEX_TICKS_MAX) {
      return reject("out-of-range", "price", "from 1 to 2^42 ticks");
    }
    markTicks = ticks;
  }
  if (market.mark.pinnedTicks === markTicks) return accept(null);
  market.mark.pinnedTicks = markTicks;
  context.emit({ type: "mark-price-pinned", actor, symbol, markTicks });
  refreshMark(context, market);
  return accept(null);
}

/** Gives the mark the price that its rule says now, and tells everybody when it is another. */
export function refreshMark(context: Context, market: ContractMarket): void {
  refresh(context, market, market.indexPrice.ticks);
}

function changeIndex(context: Context, market: ContractMarket, ticks: number): void {
  const { indexPrice } = market;
  const before = indexPrice.ticks;
  if (before !== ticks) {
    indexPrice.ticks = ticks;
    indexPrice.revision++;
  }
  refresh(context, market, before);
}

function refresh(context: Context, market: ContractMarket, indexBefore: number): void {
  const { indexPrice, mark, symbol } = market;
  const { contract } = context.state;
  const markTicks = computeMark(market);
  const markChanged = markTicks !== mark.ticks;
  if (!markChanged && indexPrice.ticks === indexBefore) return;
  mark.ticks = markTicks;
  const indexTicks = indexPrice.ticks;
  context.emit({ type: "contract-prices-changed", symbol, indexTicks, markTicks });
  if (!markChanged) return;
  contract.liquidityRevision++;
  contract.risk.markChanged(market);
  contract.algoIndex.markChanged(market);
}

function computeMark({ book, indexPrice, mark }: ContractMarket): number {
  if (mark.pinnedTicks !== 0) return mark.pinnedTicks;
  const index = indexPrice.ticks;
  const oneSided = book.bestOrder(BUY) === NONE || book.bestOrder(SELL) === NONE;
  if (index === 0 || oneSided || mark.samples.length === 0) return index;
  const basisMax = floorQuotient(index, BASIS_DIVISOR);
  return index + Math.min(Math.max(meanTicks(mark.samples), -basisMax), basisMax);
}

/**
 * Time of the index. A steady spot book is not sampled again every second, so the time of the last
 * sample stands for every second since, in which the same would have been seen.
 */
export function indexAtMs({ indexPrice, sampler }: ContractMarket, nowMs: number): number {
  const { source, spotSamples, atMs } = indexPrice;
  const isRepeated = source === "spot" && sampleAt(spotSamples, sampler.sampledMs) !== null;
  return isRepeated ? Math.max(atMs, secondOf(nowMs)) : atMs;
}

/** Liquidations need a mark that is pinned or stands on an index which is not too old. */
export function isFresh(market: ContractMarket, nowMs: number): boolean {
  const { indexPrice, mark, rules } = market;
  if (mark.pinnedTicks !== 0) return true;
  // After a restart the spot book may be as old as the last run, until it changes.
  if (indexPrice.ticks === 0 || indexPrice.spotBlockedVersion !== NONE) return false;
  return nowMs - indexAtMs(market, nowMs) <= rules.indexStaleMs;
}

/** The spot market that the index is derived from; null when the operator feeds it or none fits. */
function indexSpotMarket(state: State, market: ContractMarket): SpotMarket | null {
  if (market.indexPrice.source === "operator") return null;
  const spot = state.spotMarketsBySymbol.get(market.symbol);
  if (spot === undefined) return null;
  const { baseAsset, quoteAsset } = market.rules;
  const { rules } = spot;
  const isSamePair =
    rules.baseAsset.index === baseAsset.index && rules.quoteAsset.index === quoteAsset.index;
  return isSamePair ? spot : null;
}

/** The spot mid in half ticks of the contract, half up; 0 when there is nothing to sample. */
function spotHalfTicks(market: ContractMarket, spot: SpotMarket): number {
  const { book, rules } = spot;
  const bid = book.bestPriceTicks(BUY);
  const ask = book.bestPriceTicks(SELL);
  if (bid === NONE || ask === NONE) return 0;
  if (spotBookVersion(spot) === market.indexPrice.spotBlockedVersion) return 0;
  const { tick } = market.rules;
  const numerator = (BigInt(bid) + BigInt(ask)) * BigInt(rules.tick.step) * powerOfTen(tick.scale);
  const denominator = BigInt(tick.step) * powerOfTen(rules.tick.scale);
  const halves = divideRoundingHalfUp(numerator, denominator);
  return halves <= BigInt(2 * INDEX_TICKS_MAX) ? Number(halves) : 0;
}

/** How far the mid of the contract is above the index, in half ticks; null without both. */
function basisHalfTicks({ book, indexPrice }: ContractMarket): number | null {
  const bid = book.bestPriceTicks(BUY);
  const ask = book.bestPriceTicks(SELL);
  if (bid === NONE || ask === NONE || indexPrice.ticks === 0) return null;
  return bid + ask - 2 * indexPrice.ticks;
}

/** Whether the next whole second would be another than a repetition of the last one. */
export function isSecondDue(state: State, market: ContractMarket): boolean {
  const { indexPrice, mark, sampler } = market;
  if (sampler.indexRevision !== indexPrice.revision) return true;
  if (sampler.bookVersion !== contractBookVersion(market)) return true;
  const spot = indexSpotMarket(state, market);
  if (spot !== null) {
    if (sampler.spotBookVersion !== spotBookVersion(spot)) return true;
    const halfTicks = spotHalfTicks(market, spot);
    if (halfTicks !== 0 && !isSteady(indexPrice.spotSamples, halfTicks)) return true;
  }
  const basis = basisHalfTicks(market);
  return basis === null ? mark.samples.length > 0 : !isSteady(mark.samples, basis);
}

/** Fills in the seconds since the last sampled one, in which nothing changed, up to `toMs`. */
export function accountSeconds(market: ContractMarket, toMs: number): void {
  const { indexPrice, mark, sampler } = market;
  if (toMs <= sampler.sampledMs) return;
  if (indexPrice.source === "spot" && sampleAt(indexPrice.spotSamples, sampler.sampledMs)) {
    repeatLast(indexPrice.spotSamples, sampler.sampledMs, toMs);
    indexPrice.atMs = toMs;
  }
  repeatLast(mark.samples, sampler.sampledMs, toMs);
  sampler.sampledMs = toMs;
}

/** Samples a market at a whole second: the index first, which the mark's sample looks at. */
export function sampleSecond(context: Context, market: ContractMarket, atMs: number): void {
  const { indexPrice, mark, sampler } = market;
  const indexBefore = indexPrice.ticks;
  const spot = indexSpotMarket(context.state, market);
  if (spot !== null) {
    const halfTicks = spotHalfTicks(market, spot);
    if (halfTicks !== 0) sampleIndex(market, atMs, halfTicks);
    sampler.spotBookVersion = spotBookVersion(spot);
  }
  const basis = basisHalfTicks(market);
  if (basis === null) dropOld(mark.samples, atMs);
  else addSample(mark.samples, atMs, basis);
  sampler.sampledMs = atMs;
  sampler.bookVersion = contractBookVersion(market);
  sampler.indexRevision = indexPrice.revision;
  refresh(context, market, indexBefore);
}

function sampleIndex({ indexPrice }: ContractMarket, atMs: number, halfTicks: number): void {
  addSample(indexPrice.spotSamples, atMs, halfTicks);
  indexPrice.source = "spot";
  indexPrice.atMs = atMs;
  indexPrice.spotBlockedVersion = NONE;
  const ticks = medianTicks(indexPrice.spotSamples);
  if (ticks === indexPrice.ticks) return;
  indexPrice.ticks = ticks;
  indexPrice.revision++;
}

/**
 * After a stop: what was sampled before is no longer of the last 30 seconds, and a spot book that
 * did not change since may be out of date.
 */
export function restartSampling(state: State, market: ContractMarket, nowMs: number): void {
  const { indexPrice, mark, sampler } = market;
  indexPrice.spotSamples.length = 0;
  mark.samples.length = 0;
  sampler.sampledMs = secondOf(nowMs);
  const spot = indexSpotMarket(state, market);
  indexPrice.spotBlockedVersion = spot === null ? NONE : spotBookVersion(spot);
}

/** Whether all prices stay within their bounds when a tick becomes `factor` new ones. */
export function canRescalePrices({ indexPrice, mark }: ContractMarket, factor: number): boolean {
  const highest = Math.max(
    indexPrice.ticks,
    mark.pinnedTicks,
    mark.ticks,
    ...mark.samples.map(({ halfTicks }) => Math.abs(halfTicks)),
    ...indexPrice.spotSamples.map(({ halfTicks }) => halfTicks),
  );
  return highest * factor <= INDEX_TICKS_MAX;
}

/** The tick becomes finer; every price is the same amount in the new ticks. */
export function rescalePrices({ indexPrice, mark }: ContractMarket, factor: number): void {
  indexPrice.ticks *= factor;
  indexPrice.revision++;
  rescaleSamples(indexPrice.spotSamples, factor);
  mark.ticks *= factor;
  mark.pinnedTicks *= factor;
  rescaleSamples(mark.samples, factor);
}
