/**
 * Sampling under versions 1 and 2 of the rules: once a second the middle between best bid and best
 * ask, of the spot book for the index and of the contract's own for the mark. It stays so that old
 * journals replay to the state they had.
 */
import { divideRoundingHalfUp, powerOfTen } from "../../../domain/index.ts";
import { BUY, NONE, SELL } from "../../matching/slot.ts";
import { type Context, type SpotMarket, type State, spotBookVersion } from "../../state.ts";
import {
  addSample,
  dropOld,
  isSteady,
  MARK_SECONDS,
  medianTicks,
  repeatLast,
  sampleAt,
} from "../formulas/price-samples.ts";
import { type ContractMarket, contractBookVersion } from "../state/contract-market.ts";
import { indexSpotMarket } from "./index-market.ts";
import { INDEX_TICKS_MAX, pricesChanged } from "./prices.ts";

const INDEX_SECONDS = 30;

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

export function isFirstSecondDue(state: State, market: ContractMarket): boolean {
  const { indexPrice, mark, sampler } = market;
  if (sampler.indexRevision !== indexPrice.revision) return true;
  if (sampler.bookVersion !== contractBookVersion(market)) return true;
  const spot = indexSpotMarket(state, market);
  if (spot !== null) {
    if (sampler.spotBookVersion !== spotBookVersion(spot)) return true;
    const halfTicks = spotHalfTicks(market, spot);
    if (halfTicks !== 0 && !isSteady(indexPrice.spotSamples, halfTicks, INDEX_SECONDS)) return true;
  }
  const basis = basisHalfTicks(market);
  if (basis === null) return mark.samples.length > 0;
  return !isSteady(mark.samples, basis, MARK_SECONDS);
}

export function accountFirstSeconds(market: ContractMarket, toMs: number): void {
  const { indexPrice, mark, sampler } = market;
  if (indexPrice.source === "spot" && sampleAt(indexPrice.spotSamples, sampler.sampledMs)) {
    repeatLast(indexPrice.spotSamples, sampler.sampledMs, toMs, INDEX_SECONDS);
    indexPrice.atMs = toMs;
  }
  repeatLast(mark.samples, sampler.sampledMs, toMs, MARK_SECONDS);
  sampler.sampledMs = toMs;
}

export function sampleFirstSecond(context: Context, market: ContractMarket, atMs: number): void {
  const { indexPrice, mark, sampler } = market;
  const indexBefore = indexPrice.ticks;
  const spot = indexSpotMarket(context.state, market);
  if (spot !== null) {
    const halfTicks = spotHalfTicks(market, spot);
    if (halfTicks !== 0) sampleIndex(market, atMs, halfTicks);
    sampler.spotBookVersion = spotBookVersion(spot);
  }
  const basis = basisHalfTicks(market);
  if (basis === null) dropOld(mark.samples, atMs, MARK_SECONDS);
  else addSample(mark.samples, atMs, basis, MARK_SECONDS);
  sampler.sampledMs = atMs;
  sampler.bookVersion = contractBookVersion(market);
  sampler.indexRevision = indexPrice.revision;
  pricesChanged(context, market, indexBefore);
}

function sampleIndex({ indexPrice }: ContractMarket, atMs: number, halfTicks: number): void {
  addSample(indexPrice.spotSamples, atMs, halfTicks, INDEX_SECONDS);
  indexPrice.source = "spot";
  indexPrice.atMs = atMs;
  indexPrice.spotBlockedVersion = NONE;
  const ticks = medianTicks(indexPrice.spotSamples);
  if (ticks === indexPrice.ticks) return;
  indexPrice.ticks = ticks;
  indexPrice.revision++;
}
