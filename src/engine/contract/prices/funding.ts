/**
 * Funding: at every slot the longs or the shorts pay the other side, from wallet to wallet. The
 * rate follows the mean premium: it is pulled to the interest rate by at most the inner clamp, and
 * capped. A payer never pays what would bring a liquidation nearer than the buffer; the rest is
 * waived. Payments round up, receipts down, and the difference goes to the rounding account.
 */

import {
  accept,
  ceilDivide,
  divideRoundingHalfUp,
  type PositionSide,
  parseSignedDecimal,
  RATE_SCALE,
  type Result,
  reject,
} from "../../../domain/index.ts";
import type { CommandOf } from "../../../protocol/index.ts";
import { CONTRACT_AVAILABLE, CONTRACT_POSITION_MARGIN, type Ledger } from "../../ledger/ledger.ts";
import type { Context, State } from "../../state.ts";
import {
  crossEquityMinor,
  crossMaintenanceE8,
  isolatedRateE8,
  markValueMinor,
  walletMinor,
} from "../formulas/account-equity.ts";
import { ONE_E8, pnlMinor, valueMinor } from "../formulas/valuation.ts";
import {
  type ContractMarket,
  type ContractMarketRules,
  LONG,
  type MarginAccount,
  type Position,
  type PositionSideIndex,
  SHORT,
} from "../state/contract-market.ts";
import { forgetPremiums, premiumE12, premiumSoFar } from "./premium.ts";
import { isFresh } from "./prices.ts";

/** From rates in 10^-8 to premiums in 10^-12. */
const E12_PER_E8 = 10_000n;

/** The funding rate in 10^-8, half up, for premiums that add up to `sumE12`. */
export function fundingRateE8(rules: ContractMarketRules, sumE12: bigint, samples: number): number {
  const premium = samples === 0 ? 0n : sumE12;
  // Everything times the number of samples, so that the mean needs no division.
  const scale = E12_PER_E8 * BigInt(Math.max(samples, 1));
  const interest = BigInt(rules.interestRateE8) * scale;
  const pull = clamp(interest - premium, BigInt(rules.fundingInnerClampE8) * scale);
  const rate = clamp(premium + pull, BigInt(rules.fundingRateCapE8) * scale);
  return Number(divideRoundingHalfUp(rate, scale));
}

function clamp(amount: bigint, most: bigint): bigint {
  if (amount > most) return most;
  return amount < -most ? -most : amount;
}

/** For sandboxes: the rate of the next funding, beyond clamps and cap; null takes it back. */
export function setFundingRate(
  context: Context,
  { actor, symbol, rate }: CommandOf<"set-funding-rate">,
): Result<null> {
  const market = context.state.contract.marketsBySymbol.get(symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  const { funding } = market;
  const rateE8 = rate === null ? null : parseSignedDecimal(rate, RATE_SCALE);
  if (typeof rateE8 === "string") return reject(rateE8, "rate");
  if (rateE8 !== null && (rateE8 > ONE_E8 || rateE8 < -ONE_E8)) {
    return reject("out-of-range", "rate", "from -1 to 1");
  }
  const given = rateE8 === null ? null : Number(rateE8);
  if (funding.givenRateE8 === given) return accept(null);
  funding.givenRateE8 = given;
  context.emit({ type: "funding-rate-set", actor, symbol, rateE8 });
  return accept(null);
}

/** The rate of the next slot if the premium stays; from the premium now when no minute is over. */
export function forecastRateE8(state: State, market: ContractMarket, nowMs: number): number {
  if (market.funding.givenRateE8 !== null) return market.funding.givenRateE8;
  const { sumE12, samples } = premiumSoFar(market, nowMs);
  if (samples > 0 || market.indexPrice.ticks === 0) {
    return fundingRateE8(market.rules, sumE12, samples);
  }
  return fundingRateE8(market.rules, premiumE12(state, market), 1);
}

/** The slot at or before a time: slots divide the days since 1970 evenly. */
export function slotOf({ rules }: ContractMarket, timestampMs: number): number {
  return timestampMs - (timestampMs % rules.fundingIntervalMs);
}

/** Settles the slot that is due; an older one that still waits for a fresh mark is dropped. */
export function settleSlot(context: Context, market: ContractMarket): void {
  const { funding, rules } = market;
  const slotMs = funding.nextSlotMs;
  funding.nextSlotMs = slotMs + rules.fundingIntervalMs;
  funding.pendingSlotMs = 0;
  settle(context, market, slotMs);
}

/** Settles slots that were missed during a stop, where the mark is fresh by now. */
export function settlePendingFunding(context: Context): boolean {
  let settled = false;
  for (const market of context.state.contract.markets) {
    const slotMs = market.funding.pendingSlotMs;
    if (slotMs === 0 || !isFresh(context.state, market, context.nowMs)) continue;
    market.funding.pendingSlotMs = 0;
    settle(context, market, slotMs);
    settled = true;
  }
  return settled;
}

/** A given rate is for one funding. */
function takeRateE8({ funding, rules }: ContractMarket): number {
  const given = funding.givenRateE8;
  funding.givenRateE8 = null;
  return given ?? fundingRateE8(rules, funding.premiumSumE12, funding.premiumSamples);
}

function settle(context: Context, market: ContractMarket, slotMs: number): void {
  const { funding, indexPrice, mark, symbol } = market;
  const premiumSamples = funding.premiumSamples;
  const hasPrice = mark.ticks !== 0;
  const rateE8 = hasPrice ? takeRateE8(market) : 0;
  forgetPremiums(market);
  funding.lastRateE8 = rateE8;
  funding.lastSlotMs = slotMs;
  // Without a price there is no position yet, and nothing to emit.
  if (!hasPrice) return;
  const settlement = new Settlement(context, market, slotMs, rateE8);
  const { collectedMinor, waivedMinor } = settlement.collect();
  const receivedMinor = settlement.distribute(collectedMinor);
  const roundingMinor = collectedMinor - receivedMinor;
  if (roundingMinor > 0n) settlement.keep(roundingMinor);
  context.emit({
    type: "funding-settled",
    symbol,
    slotMs,
    rateE8: BigInt(rateE8),
    indexTicks: indexPrice.ticks,
    markTicks: mark.ticks,
    premiumSamples,
    collectedMinor,
    receivedMinor,
    roundingMinor,
    waivedMinor,
  });
}

/** One slot of one market, at its current mark. */
class Settlement {
  readonly #context: Context;
  readonly #market: ContractMarket;
  readonly #slotMs: number;
  readonly #paying: PositionSideIndex;
  /** What is due for a lot, scaled by 10^8; never below zero. */
  readonly #lotDueE8: bigint;
  /** What a lot is worth at the mark. */
  readonly #lotValueMinor: bigint;
  readonly #bufferE8: bigint;
  readonly #receivers: Position[] = [];
  readonly #clearing: number;
  /** What cross accounts with several positions may still pay, scaled by 10^8. */
  readonly #roomE8 = new Map<MarginAccount, bigint>();

  constructor(context: Context, market: ContractMarket, slotMs: number, rateE8: number) {
    const { rules, mark } = market;
    this.#context = context;
    this.#market = market;
    this.#slotMs = slotMs;
    this.#paying = rateE8 > 0 ? LONG : SHORT;
    this.#lotValueMinor = valueMinor(rules, mark.ticks, 1);
    this.#lotDueE8 = BigInt(Math.abs(rateE8)) * this.#lotValueMinor;
    this.#bufferE8 = BigInt(rules.fundingBufferRateE8);
    const { ledger } = context.state;
    this.#clearing = ledger.houseAccount(rules.marginAsset.index, "funding-clearing");
  }

  collect(): { readonly collectedMinor: bigint; readonly waivedMinor: bigint } {
    let collectedMinor = 0n;
    let waivedMinor = 0n;
    if (this.#lotDueE8 === 0n) return { collectedMinor, waivedMinor };
    for (const position of this.#market.positions) {
      if (position.side !== this.#paying) {
        this.#receivers.push(position);
        continue;
      }
      const lots = BigInt(position.sizeLots);
      const dueMinor = ceilDivide(lots * this.#lotDueE8, ONE_E8);
      const paidMinor = this.#payable(position, lots * this.#lotValueMinor, dueMinor);
      waivedMinor += dueMinor - paidMinor;
      collectedMinor += paidMinor;
      if (paidMinor > 0n) this.#move(position, -paidMinor);
    }
    return { collectedMinor, waivedMinor };
  }

  /** Receivers share what was collected by size, since the amount per lot is the same. */
  distribute(collectedMinor: bigint): bigint {
    const totalLots = this.#market.openLots[this.#paying === LONG ? SHORT : LONG];
    let receivedMinor = 0n;
    if (collectedMinor === 0n) return receivedMinor;
    for (const position of this.#receivers) {
      const shareMinor = (BigInt(position.sizeLots) * collectedMinor) / totalLots;
      receivedMinor += shareMinor;
      if (shareMinor > 0n) this.#move(position, shareMinor);
    }
    return receivedMinor;
  }

  keep(amountMinor: bigint): void {
    const { ledger } = this.#context.state;
    const rounding = ledger.houseAccount(this.#market.rules.marginAsset.index, "rounding");
    ledger.move(this.#clearing, rounding, amountMinor);
  }

  /** What of the amount due the position can pay. */
  #payable(position: Position, markMinor: bigint, dueMinor: bigint): bigint {
    const limitE8 =
      position.marginType === "CROSSED"
        ? this.#crossLimitE8(position.owner.account)
        : this.#isolatedLimitE8(position, markMinor);
    // Nearly all pay in full and need no division.
    if (dueMinor * ONE_E8 <= limitE8) return dueMinor;
    return limitE8 > 0n ? limitE8 / ONE_E8 : 0n;
  }

  /** The most that an isolated position may pay, scaled by 10^8; below zero for nothing. */
  #isolatedLimitE8(position: Position, markMinor: bigint): bigint {
    const { marginMinor, openValueMinor, owner, side } = position;
    const keptE8 = markMinor * (isolatedRateE8(owner, side) + this.#bufferE8);
    const equityMinor = marginMinor + pnlMinor(side, openValueMinor, markMinor);
    return lesser(marginMinor * ONE_E8, equityMinor * ONE_E8 - keptE8);
  }

  #crossLimitE8(account: MarginAccount): bigint {
    const { ledger } = this.#context.state;
    const roomE8 = this.#roomE8.get(account) ?? crossRoomE8(ledger, account);
    // The only position of an account shares its surplus with none.
    if (account.crossPositions.length > 1) this.#roomE8.set(account, roomE8);
    return lesser(ledger.balance(account.base + CONTRACT_AVAILABLE) * ONE_E8, roomE8);
  }

  /** Moves what the position receives; a negative amount is paid. */
  #move(position: Position, deltaMinor: bigint): void {
    const { ledger, contract } = this.#context.state;
    const { account } = position.owner;
    const isIsolated = position.marginType === "ISOLATED";
    const kind = isIsolated ? CONTRACT_POSITION_MARGIN : CONTRACT_AVAILABLE;
    if (deltaMinor < 0n) ledger.move(account.base + kind, this.#clearing, -deltaMinor);
    else ledger.move(this.#clearing, account.base + kind, deltaMinor);
    if (isIsolated) {
      position.marginMinor += deltaMinor;
      account.isolatedMarginMinor += deltaMinor;
    }
    const roomE8 = this.#roomE8.get(account);
    if (!isIsolated && roomE8 !== undefined) {
      this.#roomE8.set(account, roomE8 + deltaMinor * ONE_E8);
    }
    position.fundingFeeMinor -= deltaMinor;
    position.cumFundingFeeMinor -= deltaMinor;
    position.updatedMs = this.#context.nowMs;
    position.updatedSequence = this.#context.sequence;
    contract.dirtyAccounts.add(account);
    if (deltaMinor < 0n) contract.risk.paid(position, -deltaMinor);
    this.#emit(position, deltaMinor);
  }

  #emit(position: Position, deltaMinor: bigint): void {
    const { account } = position.owner;
    const { marginAsset } = this.#market.rules;
    const positionSide: PositionSide = position.side === LONG ? "LONG" : "SHORT";
    this.#context.emit({
      type: "funding-moved",
      symbol: this.#market.symbol,
      uid: account.user.uid,
      positionId: position.positionId,
      positionSide,
      asset: marginAsset.asset,
      slotMs: this.#slotMs,
      deltaMinor,
      walletMinor: walletMinor(this.#context.state.ledger, account),
    });
  }
}

/** What cross positions leave above maintenance and buffer, scaled by 10^8. */
function crossRoomE8(ledger: Ledger, account: MarginAccount): bigint {
  let roomE8 = crossEquityMinor(ledger, account) * ONE_E8 - crossMaintenanceE8(account);
  for (const position of account.crossPositions) {
    const { fundingBufferRateE8 } = position.owner.market.rules;
    roomE8 -= markValueMinor(position) * BigInt(fundingBufferRateE8);
  }
  return roomE8;
}

function lesser(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
