/** Market rules as form fields, and the values the form sends. */

export interface RuleField {
  readonly name: string;
  readonly label: string;
  /** An optional decimal accepts `none`. */
  readonly kind: "decimal" | "optional" | "whole";
  readonly hint?: string;
  /** Required for a new market; the rest have defaults. */
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
  needed(decimal("tickSize", "Tick size", "Price step, in the quote asset")),
  needed(decimal("stepSize", "Step size", "Quantity step, in the base asset")),
];

const RATES: readonly RuleField[] = [
  decimal("makerFeeRate", "Maker fee rate", "0.001 = 0.1%"),
  decimal("takerFeeRate", "Taker fee rate", "0.001 = 0.1%"),
  decimal("buyLimitPriceRatio", "Buy price band", "Max. distance above the last price"),
  decimal("sellLimitPriceRatio", "Sell price band", "Max. distance below the last price"),
];

export const SPOT_FIELDS: readonly RuleField[] = [
  ...STEPS,
  decimal("minTradeAmount", "Min. quantity"),
  decimal("maxTradeAmount", "Max. quantity"),
  decimal("minNotional", "Min. order value", "In the quote asset"),
  ...RATES,
  whole("maxOpenOrders", "Open orders per user"),
];

export const CONTRACT_FIELDS: readonly RuleField[] = [
  ...STEPS,
  whole("pricePrecision", "Price decimals"),
  whole("quantityPrecision", "Quantity decimals"),
  decimal("contractVal", "Contract value"),
  decimal("minOrderSize", "Min. order size"),
  decimal("maxOrderSize", "Max. order size"),
  decimal("marketOpenLimitSize", "Max. market order size"),
  decimal("maxPositionSize", "Max. position size"),
  whole("minLeverage", "Min. leverage"),
  whole("maxLeverage", "Max. leverage"),
  whole("defaultLeverage", "Default leverage"),
  ...RATES,
  decimal("liquidateFeeRate", "Liquidation fee rate"),
  decimal("interestRate", "Interest rate", "Per funding interval"),
  decimal("fundingInnerClamp", "Funding clamp"),
  decimal("fundingRateCap", "Funding rate cap"),
  decimal("fundingBufferRate", "Funding buffer rate"),
  decimal("impactNotional", "Impact notional"),
  whole("fundingIntervalMinutes", "Funding interval", "Minutes"),
  whole("indexStaleMs", "Index stale after", "ms"),
  decimal("indexStepLimit", "Index step limit", "Larger moves must be forced; 0.1 = 10%"),
  decimal(
    "insuranceSlippage",
    "Insurance slippage",
    "How far past the bankruptcy price the fund pays",
  ),
  optional("insuranceDrawLimit", "Insurance draw limit", "Share of the fund per hour, or none"),
  whole("maxOpenOrders", "Open orders per user"),
];

export type RuleTexts = Readonly<Record<string, string>>;

/** Clears an optional field; an empty field keeps its value. */
const NONE = "none";

/** The initial texts of the fields. */
export function toTexts(fields: readonly RuleField[], rules: object | null): RuleTexts {
  const given = (rules ?? {}) as Readonly<Record<string, unknown>>;
  const textOf = ({ name, kind }: RuleField): string =>
    String(given[name] ?? (kind === "optional" && rules !== null ? NONE : ""));
  return Object.fromEntries(fields.map((field) => [field.name, textOf(field)]));
}

/**
 * The rules to send. Empty fields are left out: they keep their value, or get the default in a new
 * market. Invalid whole numbers are sent as typed, for the exchange to reject.
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

/** Describes the changed rules. */
export function changedRules(
  fields: readonly RuleField[],
  before: RuleTexts,
  texts: RuleTexts,
): string[] {
  return fields
    .filter(({ name }) => texts[name] !== "" && texts[name] !== before[name])
    .map(({ name, label }) => `${label}: ${before[name] || "–"} → ${texts[name]}`);
}
