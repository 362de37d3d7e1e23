/**
 * The form as typed, its size and exits in the units that the user chose, and the order that it
 * becomes, with its quantity in the base asset and its exits as prices.
 */
import { cutToStep, dividedDown, isAmount, minus, plus, times } from "../../decimals/arithmetic.ts";
import { costOfOne, type OrderFacts } from "./order-cost.ts";
import { type Draft, EMPTY_DRAFT, positionSideOf } from "./order-draft.ts";

/** The base asset, its value, or what it costs: margin and fee. */
export type SizeUnit = "BASE" | "QUOTE" | "COST";
/** A price, the percent that the price moves, or what the margin earns or loses in percent. */
export type ExitUnit = "PRICE" | "PERCENT" | "ROI";

export interface TypedDraft extends Draft {
  /** Of `quantity`. */
  readonly sizeUnit: SizeUnit;
  /** Of `takeProfit` and `stopLoss`. */
  readonly exitUnit: ExitUnit;
}

export const EMPTY_TYPED: TypedDraft = { ...EMPTY_DRAFT, sizeUnit: "BASE", exitUnit: "PRICE" };

/** Cleared after an order; the price stays for the next one. */
export const EMPTY_AMOUNTS: Partial<TypedDraft> = {
  quantity: "",
  triggerPrice: "",
  takeProfit: "",
  stopLoss: "",
};

const WORKING_DECIMALS = 12;
const SHOWN_DECIMALS_MAX = 12;
const SHOWN_DECIMALS_MIN = 2;

/** The price of a base unit in the unit; null where there is none: `price` is "0" or unknown. */
function priceIn(unit: SizeUnit, price: string, facts: OrderFacts): string | null {
  if (unit === "BASE") return "1";
  if (!isAmount(price) || Number(price) === 0) return null;
  return unit === "QUOTE" ? price : costOfOne(price, facts);
}

/** The base quantity of a typed size: cut to the step, empty if there is none. */
export function quantityOf(size: string, unit: SizeUnit, price: string, facts: OrderFacts): string {
  if (unit === "BASE") return size;
  const one = priceIn(unit, price, facts);
  if (one === null || !isAmount(size)) return "";
  return cutToStep(dividedDown(size, one, WORKING_DECIMALS), facts.rules.stepSize);
}

/** The size of a quantity in the unit: the shortest text that is this quantity again. */
export function sizeOf(quantity: string, unit: SizeUnit, price: string, facts: OrderFacts): string {
  if (unit === "BASE" || !isAmount(quantity)) return quantity;
  const one = priceIn(unit, price, facts);
  if (one === null) return "";
  const exact = times(quantity, one);
  for (let decimals = SHOWN_DECIMALS_MIN; decimals <= SHOWN_DECIMALS_MAX; decimals++) {
    const step = decimals === 0 ? "1" : `0.${"1".padStart(decimals, "0")}`;
    const cut = cutToStep(exact, step);
    for (const text of [cut, plus(cut, step)])
      if (quantityOf(text, unit, price, facts) === quantity) return text;
  }
  return exact;
}

/** The price of a typed exit; empty if there is none, as typed if it is no number. */
function exitPriceOf(
  typed: TypedDraft,
  field: "takeProfit" | "stopLoss",
  entry: string,
  facts: OrderFacts,
): string {
  const isUp = (positionSideOf(typed) === "LONG") === (field === "takeProfit");
  return movedPrice(typed[field], typed.exitUnit, isUp, entry, facts);
}

/** A price from text in a unit, `isUp` above the entry or below it. */
export function movedPrice(
  text: string,
  unit: ExitUnit,
  isUp: boolean,
  entry: string,
  { rules, leverage }: Pick<OrderFacts, "rules" | "leverage">,
): string {
  if (unit === "PRICE" || !isAmount(text)) return text;
  const percent = unit === "PERCENT" ? text : dividedDown(text, leverage, WORKING_DECIMALS);
  const move = dividedDown(times(entry, percent), "100", WORKING_DECIMALS);
  const price = isUp ? plus(entry, move) : minus(entry, move);
  return price.startsWith("-") ? "0" : cutToStep(price, rules.tickSize);
}

/** A price in the unit, for a field whose unit changes; empty if it is none. */
export function exitTextOf(
  price: string,
  unit: ExitUnit,
  entry: string,
  { leverage }: Pick<OrderFacts, "leverage">,
): string {
  if (unit === "PRICE" || !isAmount(price) || Number(entry) === 0)
    return isAmount(price) ? price : "";
  const move = minus(price, entry).replace("-", "");
  const percent = dividedDown(times(move, "100"), entry, WORKING_DECIMALS);
  return cutToStep(unit === "ROI" ? times(percent, leverage) : percent, "0.01");
}

/** `price` is the expected price of the order, "0" while it is unknown. */
export function resolveDraft(typed: TypedDraft, price: string, facts: OrderFacts): Draft {
  return {
    ...typed,
    quantity: quantityOf(typed.quantity, typed.sizeUnit, price, facts),
    takeProfit: exitPriceOf(typed, "takeProfit", price, facts),
    stopLoss: exitPriceOf(typed, "stopLoss", price, facts),
  };
}
