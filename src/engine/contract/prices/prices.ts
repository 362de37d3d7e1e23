/**
 * Index and mark of a contract. The index comes from the operator, or else from the spot market of
 * the same pair: the median of its last seconds, so that one order cannot move it. The mark is the
 * index plus the mean of what the contract's own book was above the index in the last 30 seconds; a
 * second without a sample counts as zero. It never leaves the index by more than half of what a
 * position of the highest leverage survives. Both are whole ticks.
 */
import {
  accept,
  divideRoundingHalfUp,
  exactProduct,
  formatDecimal,
  formatSteps,
  parseDecimal,
  parseSteps,
  powerOfTen,
  RATE_ONE_E8,
  RATE_SCALE,
  type Rejection,
  type Result,
  reject,
  SCALE_MAX,
} from "../../../domain/index.ts";
import type { CommandOf } from "../../../protocol/index.ts";
import { BUY, NONE, SELL } from "../../matching/slot.ts";
import { RULES_WITH_MARKET_INTEGRITY } from "../../rules-version.ts";
import type { Context, State } from "../../state.ts";
import {
  floorQuotient,
  MARK_SECONDS,
  meanTicks,
  rescaleSamples,
  sampleAt,
  secondOf,
} from "../formulas/price-samples.ts";
import { ONE_E8 } from "../formulas/valuation.ts";
import type { ContractMarket } from "../state/contract-market.ts";

/**
 * Ticks of the highest index and mark. With price bands of at most ten times the mark, thirty
 * samples of any book add up to a safe integer.
 */
export const INDEX_TICKS_MAX = 2 ** 42;

/** Under the first rules the mark stayed within a two hundredth, half a percent, of the index. */
const FIRST_BASIS_DIVISOR = 200;
/** Fewer samples than these give no index. */
export const INDEX_SAMPLES_MIN = 8;

/** The operator sets the index, rounded half up to the tick; the spot market no longer does. */
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
  const tooFar = command.force ? null : checkStep(context, market, ticks);
  if (tooFar !== null) return tooFar;
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

/**
 * A typing error or a broken feed could liquidate half of all positions, so a price far from the
 * last one must be forced. A stale index has no last price to compare with.
 */
function checkStep(
  { state, nowMs }: Context,
  market: ContractMarket,
  ticks: bigint,
): Rejection | null {
  const { indexPrice, rules } = market;
  if (state.rulesVersion < RULES_WITH_MARKET_INTEGRITY || indexPrice.ticks === 0) return null;
  const last = BigInt(indexPrice.ticks);
  const step = ticks > last ? ticks - last : last - ticks;
  if (step * ONE_E8 <= last * BigInt(rules.indexStepLimitE8)) return null;
  if (!isFresh(state, market, nowMs)) return null;
  const limit = formatDecimal(BigInt(rules.indexStepLimitE8) * 100n, RATE_SCALE);
  const reach = `at most ${limit} % from ${formatSteps(indexPrice.ticks, rules.tick)}`;
  return reject("index-step-too-large", "price", `${reach}; send force true if it is right`);
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

/** Sets the mark to what its rule gives now, and emits it when it changed. */
export function refreshMark(context: Context, market: ContractMarket): void {
  pricesChanged(context, market, market.indexPrice.ticks);
}

function changeIndex(context: Context, market: ContractMarket, ticks: number): void {
  const { indexPrice } = market;
  const before = indexPrice.ticks;
  if (before !== ticks) {
    indexPrice.ticks = ticks;
    indexPrice.revision++;
  }
  pricesChanged(context, market, before);
}

/** Emits the changed index and the mark that follows it. */
export function pricesChanged(context: Context, market: ContractMarket, indexBefore: number): void {
  const { indexPrice, mark, symbol } = market;
  const { contract } = context.state;
  const markTicks = computeMark(context.state, market);
  const markChanged = markTicks !== mark.ticks;
  if (!markChanged && indexPrice.ticks === indexBefore) return;
  mark.ticks = markTicks;
  const indexTicks = indexPrice.ticks;
  context.emit({ type: "contract-prices-changed", symbol, indexTicks, markTicks });
  if (!markChanged) return;
  contract.liquidityRevision++;
  contract.risk.markChanged(market);
  contract.triggerIndex.markChanged(market);
}

function computeMark({ rulesVersion }: State, market: ContractMarket): number {
  const { indexPrice, mark, rules } = market;
  if (mark.pinnedTicks !== 0) return mark.pinnedTicks;
  const index = indexPrice.ticks;
  if (rulesVersion < RULES_WITH_MARKET_INTEGRITY) return index + firstBasis(market);
  const mean = meanTicks(mark.samples, MARK_SECONDS);
  const most = fractionOf(index, rules.markBoundE8);
  return index + Math.min(Math.max(mean, -most), most);
}

/** The mean of the samples that there are, however few; nothing while a side is empty. */
function firstBasis({ book, indexPrice, mark }: ContractMarket): number {
  const oneSided = book.bestOrder(BUY) === NONE || book.bestOrder(SELL) === NONE;
  if (indexPrice.ticks === 0 || oneSided || mark.samples.length === 0) return 0;
  const most = floorQuotient(indexPrice.ticks, FIRST_BASIS_DIVISOR);
  return Math.min(Math.max(meanTicks(mark.samples, mark.samples.length), -most), most);
}

/** So much of a price, rounded down. */
function fractionOf(ticks: number, rateE8: number): number {
  const product = ticks * rateE8;
  if (Number.isSafeInteger(product)) return floorQuotient(product, RATE_ONE_E8);
  return Number(exactProduct(ticks, rateE8) / ONE_E8);
}

/**
 * Time of the index. A steady spot book is not sampled again every second, so the time of the last
 * sample stands for every second since, in which the same would have been seen.
 */
export function indexAtMs(state: State, market: ContractMarket, nowMs: number): number {
  const { indexPrice, sampler } = market;
  const { source, spotSamples, atMs } = indexPrice;
  const enough = state.rulesVersion < RULES_WITH_MARKET_INTEGRITY ? 1 : INDEX_SAMPLES_MIN;
  const isRepeated =
    source === "spot" &&
    spotSamples.length >= enough &&
    sampleAt(spotSamples, sampler.sampledMs) !== null;
  return isRepeated ? Math.max(atMs, secondOf(nowMs)) : atMs;
}

/** Whether the mark is pinned, or its index is not too old. */
export function isFresh(state: State, market: ContractMarket, nowMs: number): boolean {
  const { indexPrice, mark, rules } = market;
  if (mark.pinnedTicks !== 0) return true;
  if (indexPrice.ticks === 0) return false;
  if (state.rulesVersion < RULES_WITH_MARKET_INTEGRITY) {
    // After a restart the spot book may be as old as the last run, until it changes.
    if (indexPrice.spotBlockedVersion !== NONE) return false;
  }
  const { indexStaleMs } = rules;
  return indexStaleMs === 0 || nowMs - indexAtMs(state, market, nowMs) <= indexStaleMs;
}

/** Liquidations need a fresh mark, and after a long stop the samples of half a minute. */
export function isMarkReliable(state: State, market: ContractMarket, nowMs: number): boolean {
  const { mark } = market;
  if (mark.pinnedTicks !== 0) return true;
  return nowMs >= mark.riskFromMs && isFresh(state, market, nowMs);
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
