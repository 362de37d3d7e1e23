/**
 * The premium of a contract over its index, sampled at every full minute: how far the average price
 * of selling the impact notional is above the index, less how far that of buying it is below, as a
 * fraction of the index in 10^-12. A side without that depth adds nothing. The next funding rate
 * follows the mean of the samples since the last funding.
 */
import { divideRoundingHalfUp } from "../../../domain/index.ts";
import { BUY, SELL } from "../../matching/slot.ts";
import type { Context, State } from "../../state.ts";
import { type ImpactBook, impactPrice } from "../formulas/impact-price.ts";
import { type ContractMarket, contractBookVersion } from "../state/contract-market.ts";

export const MINUTE_MS = 60_000;
const PREMIUM_ONE = 10n ** 12n;

/** The last full minute at or before a time. */
export function minuteOf(timestampMs: number): number {
  return timestampMs - (timestampMs % MINUTE_MS);
}

/** The book of a contract with its impact notional. */
export function impactBookOf({ contract }: State, { book, rules }: ContractMarket): ImpactBook {
  const { impactNotionalMinor: notionalMinor, minorPerTickLot } = rules;
  return { book, orders: contract.orders, minorPerTickLot, notionalMinor };
}

/** The premium at this moment in 10^-12, half up. The market has an index. */
export function premiumE12(state: State, market: ContractMarket): bigint {
  const index = BigInt(market.indexPrice.ticks);
  // bid / index - 1 and 1 - ask / index, each as a fraction and not below zero.
  const depth = impactBookOf(state, market);
  const bid = impactPrice(depth, BUY);
  const ask = impactPrice(depth, SELL);
  const bidDenominator = index * (bid?.denominator ?? 1n);
  const askDenominator = index * (ask?.denominator ?? 1n);
  const above = bid === null ? 0n : atLeastZero(bid.numerator - index * bid.denominator);
  const below = ask === null ? 0n : atLeastZero(index * ask.denominator - ask.numerator);
  return divideRoundingHalfUp(
    (above * askDenominator - below * bidDenominator) * PREMIUM_ONE,
    bidDenominator * askDenominator,
  );
}

function atLeastZero(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}

/** Whether the next full minute would be another than a repetition of the last one. */
export function isMinuteDue(market: ContractMarket): boolean {
  const { funding, indexPrice, sampler } = market;
  if (indexPrice.ticks !== sampler.premiumIndexTicks) return true;
  if (indexPrice.ticks === 0) return false;
  // A funding that waits for a fresh mark may be settled between any two minutes.
  if (funding.pendingSlotMs !== 0) return true;
  return sampler.premiumBookVersion !== contractBookVersion(market);
}

/** Fills in the minutes since the last sampled one, in which nothing changed, up to `toMs`. */
export function accountMinutes(market: ContractMarket, toMs: number): void {
  const { funding } = market;
  if (toMs <= funding.premiumAtMs) return;
  const samples = repeatedMinutes(market, toMs);
  funding.premiumSumE12 += BigInt(samples) * funding.lastPremiumE12;
  funding.premiumSamples += samples;
  funding.premiumAtMs = toMs;
}

/** Minutes since the last one that is accounted for; none of them counts without an index. */
function repeatedMinutes({ funding, sampler }: ContractMarket, toMs: number): number {
  if (sampler.premiumIndexTicks === 0) return 0;
  return Math.max(0, (minuteOf(toMs) - funding.premiumAtMs) / MINUTE_MS);
}

/** Samples the premium at a full minute. */
export function samplePremium(context: Context, market: ContractMarket, atMs: number): void {
  const { funding, indexPrice, sampler, symbol } = market;
  funding.premiumAtMs = atMs;
  sampler.premiumBookVersion = contractBookVersion(market);
  sampler.premiumIndexTicks = indexPrice.ticks;
  if (indexPrice.ticks === 0) return;
  const premium = premiumE12(context.state, market);
  funding.lastPremiumE12 = premium;
  funding.premiumSumE12 += premium;
  funding.premiumSamples++;
  const samples = funding.premiumSamples;
  context.emit({ type: "premium-sampled", symbol, premiumE12: premium, samples });
}

/** The samples so far, those that are not filled in yet included. */
export function premiumSoFar(
  market: ContractMarket,
  nowMs: number,
): { readonly sumE12: bigint; readonly samples: number } {
  const { funding } = market;
  const repeated = repeatedMinutes(market, nowMs);
  return {
    sumE12: funding.premiumSumE12 + BigInt(repeated) * funding.lastPremiumE12,
    samples: funding.premiumSamples + repeated,
  };
}

/** Forgets the samples after a settlement, or of a slot that a stop has skipped. */
export function forgetPremiums({ funding }: ContractMarket): void {
  funding.premiumSumE12 = 0n;
  funding.premiumSamples = 0;
}
