/** The rules of markets as a form shows them, and what a form sends: text, or whole numbers. */

export interface RuleField {
  readonly name: string;
  readonly label: string;
  /** An optional decimal may be `none`. */
  readonly kind: "decimal" | "optional" | "whole";
  readonly hint?: string;
  /** Must be given for a new market; the rest has defaults. */
  readonly isNeeded?: true;
}

const decimal = (name: string, label: string, hint?: string): RuleField =>
  hint === undefined ? { name, label, kind: "decimal" } : { name, label, kind: "decimal", hint };
const whole = (name: string, label: string, hint?: string): RuleField => ({
  ...decimal(name, label, hint),
  kind: "whole",
});
const optional = (name: string, label: string, hint: string): RuleField => ({
  ...decimal(name, label, hint),
  kind: "optional",
});
const needed = (field: RuleField): RuleField => ({ ...field, isNeeded: true });

const STEPS: readonly RuleField[] = [
  needed(decimal("tickSize", "Tick size", "of prices, in the quote asset")),
  needed(decimal("stepSize", "Step size", "of quantities, in the base asset")),
];

const RATES: readonly RuleField[] = [
  decimal("makerFeeRate", "Maker fee rate", "0.001 is 0.1%"),
  decimal("takerFeeRate", "Taker fee rate", "0.001 is 0.1%"),
  decimal("buyLimitPriceRatio", "Buy price band", "how far above the last price"),
  decimal("sellLimitPriceRatio", "Sell price band", "how far below the last price"),
];

export const SPOT_FIELDS: readonly RuleField[] = [
  ...STEPS,
  decimal("minTradeAmount", "Smallest quantity"),
  decimal("maxTradeAmount", "Largest quantity"),
  decimal("minNotional", "Smallest value", "in the quote asset"),
  ...RATES,
  whole("maxOpenOrders", "Open orders a user"),
];

export const CONTRACT_FIELDS: readonly RuleField[] = [
  ...STEPS,
  whole("pricePrecision", "Price decimals"),
  whole("quantityPrecision", "Quantity decimals"),
  decimal("contractVal", "Contract value"),
  decimal("minOrderSize", "Smallest order"),
  decimal("maxOrderSize", "Largest order"),
  decimal("marketOpenLimitSize", "Largest market order"),
  decimal("maxPositionSize", "Largest position"),
  whole("minLeverage", "Lowest leverage"),
  whole("maxLeverage", "Highest leverage"),
  whole("defaultLeverage", "Leverage at first"),
  ...RATES,
  decimal("liquidateFeeRate", "Liquidation fee rate"),
  decimal("interestRate", "Interest rate", "of a funding interval"),
  decimal("fundingInnerClamp", "Funding clamp"),
  decimal("fundingRateCap", "Funding rate cap"),
  decimal("fundingBufferRate", "Funding buffer rate"),
  decimal("impactNotional", "Impact value"),
  whole("fundingIntervalMinutes", "Funding interval", "minutes"),
  whole("indexStaleMs", "Index stale after", "ms"),
  decimal("indexStepLimit", "Index step limit", "further steps must be forced; 0.1 is 10%"),
  decimal("insuranceSlippage", "Insurance slippage", "how far beyond bankruptcy the fund pays"),
  optional("insuranceDrawLimit", "Insurance draw limit", "share of the fund an hour, or none"),
  whole("maxOpenOrders", "Open orders a user"),
];

export type RuleTexts = Readonly<Record<string, string>>;

/** The text of an optional field without a value: an empty field would keep the one it has. */
const NONE = "none";

/** What the fields of a form hold at first. */
export function toTexts(fields: readonly RuleField[], rules: object | null): RuleTexts {
  const given = (rules ?? {}) as Readonly<Record<string, unknown>>;
  const textOf = ({ name, kind }: RuleField): string =>
    String(given[name] ?? (kind === "optional" && rules !== null ? NONE : ""));
  return Object.fromEntries(fields.map((field) => [field.name, textOf(field)]));
}

/**
 * The rules to send: what is empty is left out and keeps its value, or gets its default in a new
 * market. What is no whole number goes as it was typed, and the exchange says what is expected.
 */
export function toRules(
  fields: readonly RuleField[],
  texts: RuleTexts,
): Record<string, string | number | null> {
  const rules: Record<string, string | number | null> = {};
  for (const { name, kind } of fields) {
    const text = (texts[name] ?? "").trim();
    if (text === "") continue;
    if (kind === "optional" && text.toLowerCase() === NONE) rules[name] = null;
    else rules[name] = kind === "whole" && /^\d{1,15}$/.test(text) ? Number(text) : text;
  }
  return rules;
}

/** Names of the rules that differ from those that are in force, in words. */
export function changedRules(
  fields: readonly RuleField[],
  before: RuleTexts,
  texts: RuleTexts,
): string[] {
  return fields
    .filter(({ name }) => texts[name] !== "" && texts[name] !== before[name])
    .map(({ name, label }) => `${label}: ${before[name] || "–"} → ${texts[name]}`);
}
