/**
 * How far the insurance fund pays for the liquidations of a contract; what is beyond goes to
 * deleveraging.
 *
 * The draw limit: a contract spends at most a share of the fund in an hour, of what the fund held
 * at the first payment of that hour, so that no flaw of a market, and nobody who found one, empties
 * the fund at once. All that the fund pays for a fill counts, the fee as well, and no receipt is
 * set against it.
 *
 * The slippage: how much worse a fill is than bankruptcy price and mark. It is bounded by a rate of
 * the contract, and for one position by the trading fees that it paid itself. Without the second
 * bound, whoever has both sides of a position and bids just below bankruptcy is paid more than the
 * fees cost him, whenever the mark moves a little.
 */
import { ceilDivide } from "../../../domain/index.ts";
import { RULES_WITH_MARKET_INTEGRITY } from "../../rules-version.ts";
import type { Context, State } from "../../state.ts";
import { type ContractMarket, LONG, type Position } from "../state/contract-market.ts";
import type { LiquidationTerms } from "../state/order-terms.ts";
import { ONE_E8 } from "./valuation.ts";

const HOUR_MS = 60 * 60_000;

/** What the market may use of the fund now. */
export function payableMinor({ state, nowMs }: Context, market: ContractMarket): bigint {
  const { ledger, rulesVersion } = state;
  const fundMinor = ledger.balance(
    ledger.houseAccount(market.rules.marginAsset.index, "insurance"),
  );
  const draws = drawsOfHour(state, market, nowMs);
  if (draws === null || rulesVersion < RULES_WITH_MARKET_INTEGRITY) return fundMinor;
  const leftMinor = draws.limitMinor - draws.drawnMinor;
  if (leftMinor >= fundMinor) return fundMinor;
  // A limit lowered within the hour may be below what was paid already.
  return leftMinor > 0n ? leftMinor : 0n;
}

/**
 * What the market may draw in the current hour, and has drawn; null without a limit. For
 * monitoring.
 */
export function drawsOfHour(
  state: State,
  market: ContractMarket,
  nowMs: number,
): { readonly limitMinor: bigint; readonly drawnMinor: bigint } | null {
  const { insuranceDraws: draws, rules } = market;
  const { insuranceDrawLimitE8: limitE8 } = rules;
  if (limitE8 === null) return null;
  const { ledger } = state;
  const isPresent = draws.hourEndMs === hourEndMs(nowMs);
  const fundMinor = ledger.balance(ledger.houseAccount(rules.marginAsset.index, "insurance"));
  const baseMinor = isPresent ? draws.baseMinor : fundMinor;
  const limitMinor = (baseMinor * BigInt(limitE8)) / ONE_E8;
  return { limitMinor, drawnMinor: isPresent ? draws.drawnMinor : 0n };
}

/** Counts what the fund is about to pay, also without a limit: one may be set within the hour. */
export function countDraw(
  { state, nowMs }: Context,
  { insuranceDraws: draws, rules, tallies }: ContractMarket,
  paidMinor: bigint,
): void {
  const { ledger, rulesVersion } = state;
  tallies.insurancePaidMinor += paidMinor;
  if (paidMinor === 0n || rulesVersion < RULES_WITH_MARKET_INTEGRITY) return;
  const endMs = hourEndMs(nowMs);
  if (draws.hourEndMs !== endMs) {
    draws.hourEndMs = endMs;
    draws.baseMinor = ledger.balance(ledger.houseAccount(rules.marginAsset.index, "insurance"));
    draws.drawnMinor = 0n;
  }
  draws.drawnMinor += paidMinor;
}

/** How much worse than bankruptcy price and mark, in ticks over the terms' denominator. */
function slippageNum(
  { owner, side }: Position,
  { bankruptcyNum, bankruptcyDen }: LiquidationTerms,
  priceNum: bigint,
): bigint {
  const markNum = BigInt(owner.market.mark.ticks) * bankruptcyDen;
  if (side === LONG) return (markNum < bankruptcyNum ? markNum : bankruptcyNum) - priceNum;
  return priceNum - (markNum > bankruptcyNum ? markNum : bankruptcyNum);
}

/** How many lots at a price the slippage lets the fund pay for, at most `lotsMax`. */
export function lotsWithinSlippage(
  { rulesVersion }: State,
  position: Position,
  terms: LiquidationTerms,
  priceTicks: number,
  lotsMax: number,
): number {
  if (rulesVersion < RULES_WITH_MARKET_INTEGRITY) return lotsMax;
  const { rules } = position.owner.market;
  const priceNum = BigInt(priceTicks) * terms.bankruptcyDen;
  const worseNum = slippageNum(position, terms, priceNum);
  if (worseNum <= 0n) return lotsMax;
  // What it is worse than: the price itself without the slippage.
  const fromNum = position.side === LONG ? priceNum + worseNum : priceNum - worseNum;
  if (worseNum * ONE_E8 > fromNum * BigInt(rules.insuranceSlippageE8)) return 0;
  const { cumOpenFeeMinor, cumCloseFeeMinor, insuredMinor } = position;
  const backedMinor = cumOpenFeeMinor + cumCloseFeeMinor - insuredMinor;
  if (backedMinor <= 0n) return 0;
  const lots = (backedMinor * terms.bankruptcyDen) / (worseNum * rules.minorPerTickLot);
  return lots > BigInt(lotsMax) ? lotsMax : Number(lots);
}

/**
 * Counts the fee and the slippage of a fill. The position's closing fees include the fee, but its
 * holder did not pay it.
 */
export function countInsured(
  { rulesVersion }: State,
  position: Position,
  terms: LiquidationTerms,
  fill: { readonly lots: number; readonly valueMinor: bigint; readonly feeMinor: bigint },
): void {
  if (rulesVersion < RULES_WITH_MARKET_INTEGRITY) return;
  const { bankruptcyDen } = terms;
  // Minor units for one tick of the whole fill, which its value is a multiple of.
  const perTickMinor = position.owner.market.rules.minorPerTickLot * BigInt(fill.lots);
  const priceNum = (fill.valueMinor / perTickMinor) * bankruptcyDen;
  const worseNum = slippageNum(position, terms, priceNum);
  position.insuredMinor += fill.feeMinor;
  if (worseNum > 0n) position.insuredMinor += ceilDivide(worseNum * perTickMinor, bankruptcyDen);
}

/** Of the hour of UTC that a time is in. */
function hourEndMs(timeMs: number): number {
  return timeMs - (timeMs % HOUR_MS) + HOUR_MS;
}
