/**
 * Input of the reference exchange: amounts, market rules and fee rates, each with every reason for
 * rejecting it. Amounts are whole numbers of 10^-18, as in `test/support/exact.ts`.
 */
import type { MarketState, RejectReason } from "../../src/domain/index.ts";
import type { CommandOf } from "../../src/protocol/index.ts";
import { exact, text } from "../support/exact.ts";

export const ONE = 10n ** 18n;
const WIRE_AMOUNT = /^(0|[1-9]\d{0,17})(\.\d{1,18})?$/;
export const STEPS_MAX = 2n ** 53n - 1n;

/** The smallest amount of an asset. */
export function minorUnit(scale: number): bigint {
  return 10n ** BigInt(18 - scale);
}

/** An amount as it may stand in a request; adds a reason and gives null when it may not. */
export function readAmount(text: string, reasons: Set<RejectReason>): bigint | null {
  if (WIRE_AMOUNT.test(text)) return exact(text);
  reasons.add("malformed");
  return null;
}

/** An amount of an asset: no finer than its minor unit. */
export function readMoney(text: string, scale: number, reasons: Set<RejectReason>): bigint | null {
  const amount = readAmount(text, reasons);
  if (amount === null || amount % minorUnit(scale) === 0n) return amount;
  reasons.add("excess-precision");
  return null;
}

export interface NaiveAsset {
  readonly asset: string;
  readonly coinId: number;
  readonly name: string;
  readonly scale: number;
}

export interface NaiveRules {
  readonly base: NaiveAsset;
  readonly quote: NaiveAsset;
  readonly tick: bigint;
  readonly step: bigint;
  readonly minQuantity: bigint;
  readonly maxQuantity: bigint;
  readonly minNotional: bigint;
  readonly makerRate: bigint;
  readonly takerRate: bigint;
  readonly buyRatio: bigint;
  readonly sellRatio: bigint;
  readonly maxOpenOrders: number;
}

/** Rules as the operator may write them, or the reasons for which they are refused. */
export function readRules(
  command: CommandOf<"set-spot-market">,
  assets: ReadonlyMap<string, NaiveAsset>,
): NaiveRules | Set<RejectReason> {
  const reasons = new Set<RejectReason>();
  const base = assets.get(command.baseAsset);
  const quote = assets.get(command.quoteAsset);
  if (base === undefined || quote === undefined) return new Set(["unknown-asset"]);
  if (base === quote) reasons.add("malformed");
  const tick = readAmount(command.tickSize, reasons) ?? 0n;
  const step = readAmount(command.stepSize, reasons) ?? 0n;
  if (tick === 0n || step === 0n) return reasons.add("malformed");
  if (digitsOf(tick) > STEPS_MAX || digitsOf(step) > STEPS_MAX) reasons.add("malformed");
  const wholeBase = step % minorUnit(base.scale) === 0n;
  const wholeQuote = (tick * step) % (minorUnit(quote.scale) * ONE) === 0n;
  if (!wholeBase || !wholeQuote) reasons.add("excess-precision");
  const minQuantity = readLots(command.minTradeAmount, step, reasons);
  const maxQuantity = readLots(command.maxTradeAmount, step, reasons);
  if (maxQuantity < minQuantity) reasons.add("out-of-range");
  const minNotional = readMoney(command.minNotional, quote.scale, reasons) ?? 0n;
  const makerRate = readRate(command.makerFeeRate, exact("0.1"), reasons);
  const takerRate = readRate(command.takerFeeRate, exact("0.1"), reasons);
  const buyRatio = readRate(command.buyLimitPriceRatio, exact("1000"), reasons);
  const sellRatio = readRate(command.sellLimitPriceRatio, ONE - 1n, reasons);
  const { maxOpenOrders } = command;
  if (maxOpenOrders < 1 || maxOpenOrders > 100_000) reasons.add("out-of-range");
  if (reasons.size > 0) return reasons;
  return {
    base,
    quote,
    tick,
    step,
    minQuantity,
    maxQuantity,
    minNotional,
    makerRate,
    takerRate,
    buyRatio,
    sellRatio,
    maxOpenOrders,
  };
}

/** The digits of an amount as a whole number, without its point and trailing zeros after it. */
export function digitsOf(amount: bigint): bigint {
  return BigInt(text(amount).replace(".", ""));
}

export function readLots(text: string, step: bigint, reasons: Set<RejectReason>): bigint {
  const quantity = readAmount(text, reasons);
  if (quantity === null) return 0n;
  if (quantity % step !== 0n) reasons.add("off-step");
  if (quantity === 0n || quantity / step > STEPS_MAX) reasons.add("out-of-range");
  return quantity;
}

/** A rate has at most eight decimals. */
export function readRate(text: string, most: bigint, reasons: Set<RejectReason>): bigint {
  const rate = readMoney(text, 8, reasons) ?? 0n;
  if (rate > most) reasons.add("out-of-range");
  return rate;
}

/** An order request after reading: what it asks for, as far as it can be read. */
export interface NaiveAsk {
  /** 0 for a market order. */
  readonly price: bigint;
  /** 0 when `quoteAmount` is given. */
  readonly quantity: bigint;
  readonly quoteAmount: bigint;
}

interface MarketNow {
  readonly rules: NaiveRules;
  readonly state: MarketState;
  /** Null before the first trade. */
  readonly lastPrice: bigint | null;
}

/** Reads an order against a market's rules; collects every reason that speaks against it. */
export function readOrder(
  command: Pick<CommandOf<"place-spot-order">, "orderType" | "price" | "quantity" | "quantityUnit">,
  { rules, lastPrice }: MarketNow,
  reasons: Set<RejectReason>,
): NaiveAsk {
  const isLimit = command.orderType === "LIMIT";
  const price = isLimit ? (readPrice(command.price, rules, reasons) ?? 0n) : 0n;
  if (command.quantityUnit === "quote") {
    const amount = readMoney(command.quantity, rules.quote.scale, reasons);
    if (amount === 0n) reasons.add("quantity-below-minimum");
    if (amount !== null && amount < rules.minNotional) reasons.add("notional-below-minimum");
    return { price, quantity: 0n, quoteAmount: amount ?? 0n };
  }
  const quantity = readAmount(command.quantity, reasons);
  if (quantity === null) return { price, quantity: 0n, quoteAmount: 0n };
  if (quantity % rules.step !== 0n) reasons.add("off-step");
  if (quantity > rules.maxQuantity) reasons.add("quantity-above-maximum");
  if (quantity < rules.minQuantity) reasons.add("quantity-below-minimum");
  const measure = isLimit ? price : lastPrice;
  if (measure !== null && measure * quantity < rules.minNotional * ONE) {
    reasons.add("notional-below-minimum");
  }
  return { price, quantity, quoteAmount: 0n };
}

function readPrice(text: string, { tick }: NaiveRules, reasons: Set<RejectReason>): bigint | null {
  const price = readAmount(text, reasons);
  if (price === null) return null;
  if (price % tick !== 0n) reasons.add("off-tick");
  if (price === 0n || price / tick > STEPS_MAX) reasons.add("out-of-range");
  return price;
}

/** Whether a price is acceptable by the band around the last price, which is inclusive. */
export function insideBand(side: "BUY" | "SELL", price: bigint, market: MarketNow): boolean {
  const { lastPrice, rules } = market;
  if (lastPrice === null) return true;
  return side === "BUY"
    ? price * ONE <= lastPrice * (ONE + rules.buyRatio)
    : price * ONE >= lastPrice * (ONE - rules.sellRatio);
}
