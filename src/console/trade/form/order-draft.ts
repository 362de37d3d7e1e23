/** The order form's values, their validation, and the API request they become. */
import type { PlaceAlgoOrder, PlaceContractOrder, PlaceSpotOrder } from "../../../client/index.ts";
import {
  compare,
  cutToStep,
  dividedDown,
  isAmount,
  isMultiple,
  plus,
  times,
} from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import type { MarketRules } from "../market-rules.ts";

export const PLAIN_KINDS = ["LIMIT", "MARKET"] as const;
export const CONDITIONAL_KINDS = [
  "STOP",
  "STOP_MARKET",
  "TAKE_PROFIT",
  "TAKE_PROFIT_MARKET",
  "TRAILING_STOP_MARKET",
] as const;

export type PlainKind = (typeof PLAIN_KINDS)[number];
export type ConditionalKind = (typeof CONDITIONAL_KINDS)[number];
export type OrderKind = PlainKind | ConditionalKind;
export type TimeInForce = "GTC" | "POST_ONLY" | "IOC" | "FOK";
export type Side = "BUY" | "SELL";
export type TriggerSource = "CONTRACT_PRICE" | "MARK_PRICE";

export interface Draft {
  readonly side: Side;
  readonly kind: OrderKind;
  readonly timeInForce: TimeInForce;
  /** Contracts: closes a position of the other side instead of opening one. */
  readonly closes: boolean;
  readonly price: string;
  readonly quantity: string;
  readonly triggerPrice: string;
  /** The price that `triggerPrice` is compared with. */
  readonly trigger: TriggerSource;
  /** Percent. */
  readonly callbackRate: string;
  readonly activationPrice: string;
  /** Prices; empty: none. */
  readonly takeProfit: string;
  readonly stopLoss: string;
  /** The price that the take-profit and the stop-loss are compared with. */
  readonly exitTrigger: TriggerSource;
}

export const EMPTY_DRAFT: Draft = {
  side: "BUY",
  kind: "LIMIT",
  timeInForce: "GTC",
  closes: false,
  price: "",
  quantity: "",
  triggerPrice: "",
  trigger: "CONTRACT_PRICE",
  callbackRate: "1",
  activationPrice: "",
  takeProfit: "",
  stopLoss: "",
  exitTrigger: "CONTRACT_PRICE",
};

export type DraftField =
  | "price"
  | "quantity"
  | "triggerPrice"
  | "callbackRate"
  | "activationPrice"
  | "takeProfit"
  | "stopLoss";

export type Problems = Partial<Record<DraftField, string>>;

export function isConditional(kind: OrderKind): kind is ConditionalKind {
  return (CONDITIONAL_KINDS as readonly string[]).includes(kind);
}

/** Whether the order has a price of its own. */
export function hasPrice(kind: OrderKind): boolean {
  return kind === "LIMIT" || kind === "STOP" || kind === "TAKE_PROFIT";
}

export function isTrailing(kind: OrderKind): boolean {
  return kind === "TRAILING_STOP_MARKET";
}

/** Whether the order can carry a take-profit and a stop-loss: only opening orders can. */
export function mayAttach({ product }: MarketRules, { closes }: Draft): boolean {
  return product === "contract" && !closes;
}

/**
 * Static rule violations; the exchange checks funds and current prices. `entry` is the price at
 * which the order would open, null before the first one.
 */
export function problemsOf(
  draft: Draft,
  rules: MarketRules,
  entry: string | null = null,
): Problems {
  const problems: Problems = {};
  const { kind } = draft;
  const note = (field: DraftField, problem: string | null): void => {
    if (problem !== null) problems[field] = problem;
  };
  note("quantity", quantityProblem(draft, rules));
  if (hasPrice(kind)) note("price", priceProblem(draft.price, rules));
  if (isConditional(kind) && !isTrailing(kind)) {
    note("triggerPrice", priceProblem(draft.triggerPrice, rules, "trigger price"));
  }
  if (isTrailing(kind)) {
    note("callbackRate", callbackProblem(draft.callbackRate));
    note("activationPrice", optionalPriceProblem(draft.activationPrice, rules, "activation price"));
  }
  if (mayAttach(rules, draft)) {
    for (const [field, name] of EXITS) {
      const problem = optionalPriceProblem(draft[field], rules, name);
      note(field, problem ?? exitSideProblem(draft, field, name, entry));
    }
  }
  return problems;
}

function priceProblem(text: string, { tickSize }: MarketRules, name = "price"): string | null {
  if (text === "") return `Enter a ${name}.`;
  if (!isAmount(text)) return `Enter the ${name} as a plain decimal number, such as 1234.5.`;
  if (compare(text, "0") === 0) return `The ${name} must be above 0.`;
  return stepProblem(text, tickSize, name);
}

const EXITS = [
  ["takeProfit", "take-profit"],
  ["stopLoss", "stop-loss"],
] as const;

/** A take-profit of a long is above its entry, a stop-loss below; of a short the reverse. */
function exitSideProblem(
  draft: Draft,
  field: "takeProfit" | "stopLoss",
  name: string,
  entry: string | null,
): string | null {
  const text = draft[field];
  // A conditional order opens at a price that nobody knows yet.
  if (text === "" || entry === null || isConditional(draft.kind)) return null;
  const side = positionSideOf(draft);
  const isAbove = (side === "LONG") === (field === "takeProfit");
  if (compare(text, entry) === (isAbove ? 1 : -1)) return null;
  const where = isAbove ? "above" : "below";
  return `The ${name} of a ${side.toLowerCase()} must be ${where} ${groupDecimal(entry)}.`;
}

function optionalPriceProblem(text: string, rules: MarketRules, name: string): string | null {
  return text === "" ? null : priceProblem(text, rules, name);
}

function stepProblem(text: string, step: string, name: string): string | null {
  if (isMultiple(text, step)) return null;
  const cut = cutToStep(text, step);
  const instead = compare(cut, "0") === 0 ? step : cut;
  return `The ${name} must be a multiple of ${step}, such as ${instead}.`;
}

function quantityProblem(draft: Draft, rules: MarketRules): string | null {
  const { quantity, price, kind } = draft;
  const { stepSize, minQuantity, minNotional, quoteAsset, baseAsset } = rules;
  if (quantity === "") return "Enter a quantity.";
  if (!isAmount(quantity)) return "Enter the quantity as a plain decimal number, such as 0.5.";
  const offStep = stepProblem(quantity, stepSize, "quantity");
  if (offStep !== null) return offStep;
  if (compare(quantity, minQuantity) < 0)
    return `The quantity must be at least ${minQuantity} ${baseAsset}.`;
  const most = mostInOneOrder(draft, rules);
  if (compare(quantity, most) > 0)
    return `The quantity must be at most ${most} ${baseAsset}. Split the order.`;
  if (!hasPrice(kind) || !isAmount(price)) return null;
  if (compare(times(quantity, price), minNotional) >= 0) return null;
  const least = smallestWorth(minNotional, price, stepSize);
  const advice = least === null ? "" : ` Enter a quantity of at least ${least}.`;
  return `The order value must be at least ${minNotional} ${quoteAsset}.${advice}`;
}

/** The market's maximum for an order; opening at market it may be lower. */
export function mostInOneOrder({ kind, closes }: Draft, rules: MarketRules): string {
  const { product, maxQuantity, maxMarketOpen } = rules;
  if (product === "spot" || closes || hasPrice(kind)) return maxQuantity;
  return compare(maxMarketOpen, maxQuantity) < 0 ? maxMarketOpen : maxQuantity;
}

/** The smallest quantity in whole steps with that value; null without a price. */
function smallestWorth(notional: string, price: string, step: string): string | null {
  if (compare(price, "0") === 0) return null;
  const below = cutToStep(dividedDown(notional, price, WORKING_DECIMALS), step);
  return compare(times(below, price), notional) >= 0 ? below : plus(below, step);
}

const WORKING_DECIMALS = 18;

function callbackProblem(text: string): string | null {
  if (!isAmount(text)) return "Enter a percentage from 0.1 to 10.";
  const fits = compare(text, "0.1") >= 0 && compare(text, "10") <= 0;
  return fits ? null : "Enter a percentage from 0.1 to 10.";
}

/** The position side of a contract order. Closing a short is a buy. */
export function positionSideOf({ side, closes }: Draft): "LONG" | "SHORT" {
  return (side === "BUY") === closes ? "SHORT" : "LONG";
}

export function spotOrderOf(draft: Draft, { symbol }: MarketRules): PlaceSpotOrder {
  const { side, quantity } = draft;
  if (draft.kind === "MARKET") return { symbol, side, type: "MARKET", quantity };
  const { price, timeInForce } = draft;
  return { symbol, side, type: "LIMIT", timeInForce, quantity, price };
}

export function contractOrderOf(draft: Draft, rules: MarketRules): PlaceContractOrder {
  const { side, quantity, price, timeInForce } = draft;
  const { symbol } = rules;
  const positionSide = positionSideOf(draft);
  const attached = mayAttach(rules, draft) ? attachedOf(draft) : {};
  const base = { symbol, side, positionSide, quantity, ...attached };
  return draft.kind === "MARKET"
    ? { ...base, type: "MARKET" }
    : { ...base, type: "LIMIT", timeInForce, price };
}

function attachedOf(draft: Draft): Partial<PlaceContractOrder> {
  const { takeProfit, stopLoss, exitTrigger } = draft;
  return {
    ...(takeProfit === "" ? {} : { tpTriggerPrice: takeProfit, TpWorkingType: exitTrigger }),
    ...(stopLoss === "" ? {} : { slTriggerPrice: stopLoss, SlWorkingType: exitTrigger }),
  };
}

function presetOf({ takeProfit, stopLoss, exitTrigger }: Draft): Partial<PlaceAlgoOrder> {
  return {
    ...(takeProfit === "" ? {} : { presetTakeProfitPrice: takeProfit, TpWorkingType: exitTrigger }),
    ...(stopLoss === "" ? {} : { presetStopLossPrice: stopLoss, SlWorkingType: exitTrigger }),
  };
}

export function algoOrderOf(
  draft: Draft,
  kind: ConditionalKind,
  rules: MarketRules,
): PlaceAlgoOrder {
  const { side, quantity } = draft;
  const attached = mayAttach(rules, draft) ? presetOf(draft) : {};
  const positionSide = positionSideOf(draft);
  const base = { symbol: rules.symbol, side, positionSide, type: kind, quantity, ...attached };
  if (isTrailing(kind)) {
    const { callbackRate, activationPrice } = draft;
    return { ...base, callbackRate, ...(activationPrice === "" ? {} : { activationPrice }) };
  }
  const triggered = { ...base, triggerPrice: draft.triggerPrice, workingType: draft.trigger };
  return hasPrice(kind) ? { ...triggered, price: draft.price } : triggered;
}
