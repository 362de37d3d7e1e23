/**
 * Estimates for an order: fee, margin, cost, and the quantity that a share of the funds buys. The
 * exchange decides.
 */
import { compare, cutToStep, dividedDown, minus, plus, times } from "../../decimals/arithmetic.ts";
import { groupDecimal, QUOTE_FEE_DECIMALS } from "../../decimals/format.ts";
import type { BookSides, Level } from "../book/fill-estimate.ts";
import type { MarketRules } from "../market-rules.ts";
import { type Draft, hasPrice, mostInOneOrder, positionSideOf } from "./order-draft.ts";

const WORKING_DECIMALS = 12;
/** Of a fee in the quote asset and in another, which is worth more. */
const FEE_DECIMALS = { quote: QUOTE_FEE_DECIMALS, other: 8 } as const;

export interface Funds {
  /** Spot: free base asset. */
  readonly base: string;
  /** Spot: free quote asset. Contracts: available margin. */
  readonly quote: string;
  /** Contracts: position sizes that can be closed. */
  readonly longSize: string;
  readonly shortSize: string;
}

export const NO_FUNDS: Funds = { base: "0", quote: "0", longSize: "0", shortSize: "0" };

/** What an order is estimated with. */
export interface OrderFacts {
  readonly rules: MarketRules;
  readonly rates: FeeRates;
  readonly leverage: string;
  /** Of a market order, which is paid for at the worst price that it touches; null if unknown. */
  readonly book: BookSides | null;
}

/** The user's rates, which may differ from the market's. */
export interface FeeRates {
  readonly maker: string;
  readonly taker: string;
}

/** The asset the fee is paid in: the received asset on spot, else the margin asset. */
export function feeAssetOf({ side }: Draft, rules: MarketRules): string {
  return rules.product === "spot" && side === "BUY" ? rules.baseAsset : rules.quoteAsset;
}

/** "3.7054 USDT", "0.00005000 BTC" */
export function feeText(draft: Draft, price: string, rules: MarketRules, rates: FeeRates): string {
  const asset = feeAssetOf(draft, rules);
  const decimals = asset === rules.quoteAsset ? FEE_DECIMALS.quote : FEE_DECIMALS.other;
  return `${groupDecimal(estimatedFee(draft, price, rules, rates), decimals)} ${asset}`;
}

/** At the taker rate, the maximum; post-only orders pay the maker rate. */
export function estimatedFee(
  draft: Draft,
  price: string,
  rules: MarketRules,
  rates: FeeRates,
): string {
  const { quantity, side, kind, timeInForce } = draft;
  const isMaker = kind === "LIMIT" && timeInForce === "POST_ONLY";
  const rate = isMaker ? rates.maker : rates.taker;
  const isInBase = rules.product === "spot" && side === "BUY";
  return times(isInBase ? quantity : times(quantity, price), rate);
}

/** price × quantity / leverage; closing orders need none. */
export function initialMargin(draft: Draft, price: string, leverage: string): string {
  if (draft.closes) return "0";
  return dividedDown(times(draft.quantity, price), leverage, WORKING_DECIMALS);
}

/** What an opening order takes from the available margin: its margin and its fee. */
export function costOf(
  draft: Draft,
  price: string,
  { rules, rates, leverage }: OrderFacts,
): string {
  const fee = estimatedFee(draft, price, rules, rates);
  return plus(initialMargin(draft, price, leverage), fee);
}

/** What a unit of the base asset costs to open. */
export function costOfOne(price: string, { rates, leverage }: OrderFacts): string {
  return plus(dividedDown(price, leverage, WORKING_DECIMALS), times(price, rates.taker));
}

/** The largest position that the leverage allows, in the quote asset; null without tiers. */
export function maxNotionalAt(leverage: string, { riskTiers }: MarketRules): string | null {
  const fits = riskTiers.filter((tier) => compare(leverage, String(tier.maxLeverage)) <= 0);
  return fits.at(-1)?.maxNotional ?? null;
}

/** A market order is matched at worse prices than the last: kept back from what it may cost. */
const MARKET_ALLOWANCE = "1.002";

/** What a budget pays for: of a market order as deep as the book is. */
function affordable(
  draft: Draft,
  budget: string,
  price: string,
  book: BookSides | null,
  costAt: (price: string) => string,
): string {
  const quantityAt = (at: string): string => dividedDown(budget, costAt(at), WORKING_DECIMALS);
  if (hasPrice(draft.kind)) return quantityAt(price);
  const levels: readonly Level[] = (draft.side === "BUY" ? book?.asks : book?.bids) ?? [];
  if (draft.kind !== "MARKET" || levels.length === 0)
    return quantityAt(times(price, MARKET_ALLOWANCE));
  let held = "0";
  for (const [at, quantity] of levels) {
    const most = quantityAt(at);
    if (compare(most, held) <= 0) break;
    const reached = plus(held, quantity);
    if (compare(most, reached) <= 0) return most;
    held = reached;
  }
  return held;
}

const lower = (left: string, right: string): string => (compare(left, right) < 0 ? left : right);

/** What leverage and market allow on top of the position. */
function openable(draft: Draft, price: string, funds: Funds, facts: OrderFacts): string {
  const { rules, leverage } = facts;
  const held = positionSideOf(draft) === "LONG" ? funds.longSize : funds.shortSize;
  const notional = maxNotionalAt(leverage, rules);
  const byLeverage =
    notional === null ? rules.maxPosition : dividedDown(notional, price, WORKING_DECIMALS);
  const left = minus(lower(rules.maxPosition, byLeverage), held);
  return compare(left, "0") < 0 ? "0" : left;
}

/**
 * The quantity that a share of the funds buys, cut to the step: quote / price for a spot buy, the
 * base asset for a sell, what margin and fee allow for an opening contract order, the position for
 * a closing one.
 */
export function quantityForPercent(
  draft: Draft,
  percent: number,
  price: string,
  funds: Funds,
  facts: OrderFacts,
): string {
  const { rules } = facts;
  const share = dividedDown(String(percent), "100", 2);
  const inOne = mostInOneOrder(draft, rules);
  const cut = (text: string): string => cutToStep(lower(text, inOne), rules.stepSize);
  const buyable = (costAt: (at: string) => string): string =>
    affordable(draft, times(funds.quote, share), price, facts.book, costAt);
  if (rules.product === "spot") {
    if (draft.side === "SELL") return cut(times(funds.base, share));
    return cut(buyable((at) => at));
  }
  if (draft.closes) {
    const held = positionSideOf(draft) === "LONG" ? funds.longSize : funds.shortSize;
    return cut(times(held, share));
  }
  if (compare(price, "0") === 0) return "0";
  const most = buyable((at) => costOfOne(at, facts));
  return cut(lower(most, openable(draft, price, funds, facts)));
}

/** Whether the order costs more than is available, or closes more than is open. */
export function isBeyondFunds(
  draft: Draft,
  price: string,
  funds: Funds,
  facts: OrderFacts,
): boolean {
  const { rules } = facts;
  const { quantity } = draft;
  if (rules.product === "spot") {
    if (draft.side === "SELL") return compare(quantity, funds.base) > 0;
    return compare(times(quantity, price), funds.quote) > 0;
  }
  if (draft.closes) {
    const held = positionSideOf(draft) === "LONG" ? funds.longSize : funds.shortSize;
    return compare(quantity, held) > 0;
  }
  return compare(costOf(draft, price, facts), funds.quote) > 0;
}
