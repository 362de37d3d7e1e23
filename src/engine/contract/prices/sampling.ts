/**
 * Samples index and mark once a second, the index first because the mark's sample uses it. A second
 * that would repeat the last one is not sampled: while no book, rule or price changed, the last
 * sample stands, and repetitions are filled in when somebody reads them. `first-sampling` has what
 * versions 1 and 2 of the rules sample.
 */
import { divideRoundingHalfUp, powerOfTen } from "../../../domain/index.ts";
import { NONE } from "../../matching/slot.ts";
import { RULES_WITH_MARKET_INTEGRITY, RULES_WITH_SOUND_SPOT_INDEX } from "../../rules-version.ts";
import { type Context, type SpotMarket, type State, spotBookVersion } from "../../state.ts";
import { impactSum } from "../formulas/impact-price.ts";
import {
  addSample,
  dropOld,
  floorQuotient,
  isSteady,
  MARK_SECONDS,
  medianTicks,
  repeatLast,
  SECOND_MS,
  sampleAt,
  secondOf,
} from "../formulas/price-samples.ts";
import {
  type ContractMarket,
  contractBookVersion,
  type PriceSample,
} from "../state/contract-market.ts";
import { accountFirstSeconds, isFirstSecondDue, sampleFirstSecond } from "./first-sampling.ts";
import { indexSpotMarket } from "./index-market.ts";
import { impactBookOf } from "./premium.ts";
import { INDEX_SAMPLES_MIN, INDEX_TICKS_MAX, pricesChanged } from "./prices.ts";

/** Seconds that the index is the median of; the first one needs a sample in each of them. */
const INDEX_SECONDS = 15;
/** In a second the index moves by at most a five hundredth, 0.2 %. */
const INDEX_STEP_DIVISOR = 500;
/** Up to here a stop leaves the mark as it was seen; after a longer one nothing is known. */
const GAP_MAX_MS = MARK_SECONDS * SECOND_MS;

function hasFirstRules({ rulesVersion }: State): boolean {
  return rulesVersion < RULES_WITH_MARKET_INTEGRITY;
}

/** Whether the next whole second would be another than a repetition of the last one. */
export function isSecondDue(state: State, market: ContractMarket): boolean {
  if (hasFirstRules(state)) return isFirstSecondDue(state, market);
  const { indexPrice, mark, sampler } = market;
  if (sampler.indexRevision !== indexPrice.revision) return true;
  if (sampler.bookVersion !== contractBookVersion(market)) return true;
  const spot = indexSpotMarket(state, market);
  if (spot !== null) {
    if (sampler.spotBookVersion !== seenVersion(spot)) return true;
    const { spotSamples, ticks } = indexPrice;
    if (!isRepeated(spotSamples, sampler.sampledMs, INDEX_SECONDS)) return true;
    // On its way to where it may not be at once.
    if (spotSamples.length > 0 && medianTicks(spotSamples) !== ticks) return true;
  }
  return !isRepeated(mark.samples, sampler.sampledMs, MARK_SECONDS);
}

/** Whether a second that sees what the last one saw leaves the ring as it is, but for the times. */
function isRepeated(ring: readonly PriceSample[], sampledMs: number, seconds: number): boolean {
  const last = sampleAt(ring, sampledMs);
  return last === null ? ring.length === 0 : isSteady(ring, last.halfTicks, seconds);
}

/** The spot book as the index sees it: one that does not trade has no price. */
function seenVersion(spot: SpotMarket): number {
  return spot.state === "trading" ? spotBookVersion(spot) : NONE;
}

/** The second at which liquidations need wait no longer; infinite when they do not wait. */
export function riskWaitMs({ mark }: ContractMarket): number {
  return mark.riskFromMs === 0 ? Number.POSITIVE_INFINITY : mark.riskFromMs;
}

/** Fills in the seconds since the last sampled one, in which nothing changed, up to `toMs`. */
export function accountSeconds(state: State, market: ContractMarket, toMs: number): void {
  const { indexPrice, mark, sampler } = market;
  if (toMs <= sampler.sampledMs) return;
  if (hasFirstRules(state)) {
    accountFirstSeconds(market, toMs);
    return;
  }
  if (sampleAt(indexPrice.spotSamples, sampler.sampledMs) !== null) {
    repeatLast(indexPrice.spotSamples, sampler.sampledMs, toMs, INDEX_SECONDS);
    indexPrice.atMs = toMs;
  }
  repeatLast(mark.samples, sampler.sampledMs, toMs, MARK_SECONDS);
  sampler.sampledMs = toMs;
}

/** Samples a market at a whole second. */
export function sampleSecond(context: Context, market: ContractMarket, atMs: number): void {
  const { state } = context;
  if (hasFirstRules(state)) {
    sampleFirstSecond(context, market, atMs);
    return;
  }
  const { indexPrice, mark, sampler } = market;
  const indexBefore = indexPrice.ticks;
  const spot = indexSpotMarket(state, market);
  if (spot !== null) {
    const halfTicks = spotHalfTicks(state, market, spot);
    if (halfTicks === 0) {
      dropOld(indexPrice.spotSamples, atMs, INDEX_SECONDS);
    } else {
      addSample(indexPrice.spotSamples, atMs, halfTicks, INDEX_SECONDS);
      indexPrice.spotBlockedVersion = NONE;
    }
    followSpot(market, atMs);
    sampler.spotBookVersion = seenVersion(spot);
  }
  const basis = basisHalfTicks(state, market);
  if (basis === null) dropOld(mark.samples, atMs, MARK_SECONDS);
  else addSample(mark.samples, atMs, basis, MARK_SECONDS);
  if (mark.riskFromMs <= atMs) mark.riskFromMs = 0;
  sampler.sampledMs = atMs;
  sampler.bookVersion = contractBookVersion(market);
  sampler.indexRevision = indexPrice.revision;
  pricesChanged(context, market, indexBefore);
}

/** Twice the spot price in ticks of the contract, half up; 0 when there is nothing to sample. */
function spotHalfTicks(state: State, market: ContractMarket, spot: SpotMarket): number {
  const { indexPrice, rules } = market;
  const version = seenVersion(spot);
  if (version === NONE || version === indexPrice.spotBlockedVersion) return 0;
  const sum = impactSum({
    book: spot.book,
    orders: state.orders,
    minorPerTickLot: spot.rules.quoteMinorPerTickLot,
    notionalMinor: rules.impactNotionalMinor,
  });
  if (sum === null) return 0;
  const { tick } = rules;
  const spotTick = spot.rules.tick;
  const halves = divideRoundingHalfUp(
    sum.numerator * BigInt(spotTick.step) * powerOfTen(tick.scale),
    sum.denominator * BigInt(tick.step) * powerOfTen(spotTick.scale),
  );
  return halves <= BigInt(2 * INDEX_TICKS_MAX) ? Number(halves) : 0;
}

/** The index goes to the median, a step at a time; with too few samples it stays, and ages. */
function followSpot({ indexPrice }: ContractMarket, atMs: number): void {
  const { spotSamples, ticks: last } = indexPrice;
  if (spotSamples.length < (last === 0 ? INDEX_SECONDS : INDEX_SAMPLES_MIN)) return;
  indexPrice.source = "spot";
  indexPrice.atMs = atMs;
  const median = medianTicks(spotSamples);
  const step = Math.max(1, floorQuotient(last, INDEX_STEP_DIVISOR));
  const ticks = last === 0 ? median : Math.min(Math.max(median, last - step), last + step);
  if (ticks === last) return;
  indexPrice.ticks = ticks;
  indexPrice.revision++;
}

/** How far twice the price of the contract is above the index, in half ticks; null without both. */
function basisHalfTicks(state: State, market: ContractMarket): number | null {
  const { ticks } = market.indexPrice;
  const sum = ticks === 0 ? null : impactSum(impactBookOf(state, market));
  if (sum === null) return null;
  return Number(divideRoundingHalfUp(sum.numerator, sum.denominator)) - 2 * ticks;
}

/** The next second is looked at, whatever the book is: another rule may see another price in it. */
export function sampleAgain({ sampler }: ContractMarket): void {
  sampler.bookVersion = NONE;
}

/**
 * After a stop. A spot book that did not change since may be out of date, and what was sampled of
 * it is no longer of the last seconds. What was last seen of the contract's own book stands for the
 * seconds of a short stop; after a long one liquidations wait until there are samples again.
 */
export function restartSampling(state: State, market: ContractMarket, nowMs: number): void {
  const { indexPrice, mark, sampler } = market;
  const secondMs = secondOf(nowMs);
  const isKnown = !hasFirstRules(state) && !isLongStop(sampler.sampledMs, nowMs);
  if (isKnown) {
    repeatLast(mark.samples, sampler.sampledMs, secondMs, MARK_SECONDS);
    dropOld(mark.samples, secondMs, MARK_SECONDS);
  } else {
    mark.samples.length = 0;
    if (!hasFirstRules(state)) {
      sampleAgain(market);
      if (indexPrice.ticks !== 0) mark.riskFromMs = secondMs + GAP_MAX_MS;
    }
  }
  indexPrice.spotSamples.length = 0;
  sampler.sampledMs = secondMs;
  const spot = indexSpotMarket(state, market);
  indexPrice.spotBlockedVersion = spot === null ? NONE : spotBookVersion(spot);
}

/** Whether it is unknown what the mark would have been. */
function isLongStop(lastMs: number, nowMs: number): boolean {
  return secondOf(nowMs) - secondOf(lastMs) > GAP_MAX_MS;
}

/** Whether a stop leaves a trace in the prices of a market. */
export function missesSeconds(state: State, market: ContractMarket, nowMs: number): boolean {
  const { indexPrice, mark } = market;
  if (indexPrice.spotSamples.length > 0 || mark.samples.length > 0) return true;
  if (isSecondDue(state, market)) return true;
  if (state.rulesVersion >= RULES_WITH_SOUND_SPOT_INDEX) {
    const spot = indexSpotMarket(state, market);
    if (spot !== null && indexPrice.spotBlockedVersion !== spotBookVersion(spot)) return true;
  }
  if (hasFirstRules(state) || indexPrice.ticks === 0) return false;
  return isLongStop(state.timestampMs, nowMs);
}
