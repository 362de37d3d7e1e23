/** The rules of a contract market: from the text of a listing to numbers, and back. */
import {
  accept,
  formatDecimal,
  formatGrid,
  formatSteps,
  type Grid,
  LEVERAGE_MAX,
  parseDecimal,
  parseGrid,
  parseSignedDecimal,
  parseSteps,
  powerOfTen,
  RATE_ONE_E8,
  RATE_SCALE,
  type Rejection,
  type Result,
  reject,
  SCALE_MAX,
} from "../../domain/index.ts";
import type { CONTRACT_PROTECTION_DEFAULTS, CommandOf } from "../../protocol/index.ts";
import { FEE_RATE_MAX_E8 } from "../accounts/users.ts";
import type { Asset, State } from "../state.ts";
import { MINUTE_MS } from "./prices/premium.ts";
import type { ContractMarket, ContractMarketRules, RiskTier } from "./state/contract-market.ts";

/** The rules of a market as they are written on the wire. */
export type ContractMarketTexts = Omit<CommandOf<"set-contract-market">, "type" | "actor">;
type TierTexts = ContractMarketTexts["tiers"][number];

const OPEN_ORDERS_MAX = 100_000;
const TIERS_MAX = 50;
const MINUTES_PER_DAY = 1440;
const STALE_MAX_MS = 24 * 60 * MINUTE_MS;
/** A listing that lets a liquidation take more of the fund protects nothing. */
const INSURANCE_SLIPPAGE_MAX_E8 = RATE_ONE_E8 / 2;
/** Above it thirty samples of a book might not add up exactly: see `INDEX_TICKS_MAX`. */
const PRICE_RATIO_MAX_E8 = 10 * RATE_ONE_E8;

/** Reads the rules; refused when they contradict each other. */
export function parseContractRules(
  state: State,
  texts: ContractMarketTexts,
): Result<ContractMarketRules> {
  const assets = parseAssets(state, texts);
  if (!assets.ok) return assets;
  const grids = parseGrids(texts, assets.value);
  if (!grids.ok) return grids;
  const sizes = parseSizes(texts, grids.value.step);
  if (!sizes.ok) return sizes;
  const leverages = parseLeverages(texts);
  if (!leverages.ok) return leverages;
  const rates = parseRates(texts);
  if (!rates.ok) return rates;
  const funding = parseFunding(texts, assets.value.quoteAsset);
  if (!funding.ok) return funding;
  const protection = parseProtection(texts);
  if (!protection.ok) return protection;
  const tiers = parseTiers(texts.tiers, assets.value.quoteAsset);
  if (!tiers.ok) return tiers;
  const { indexStaleMs, maxOpenOrders } = texts;
  if (indexStaleMs > STALE_MAX_MS) {
    return reject("out-of-range", "indexStaleMs", `from 0, which is never, to ${STALE_MAX_MS}`);
  }
  if (maxOpenOrders < 1 || maxOpenOrders > OPEN_ORDERS_MAX) {
    return reject("out-of-range", "maxOpenOrders", `from 1 to ${OPEN_ORDERS_MAX}`);
  }
  return accept({
    ...assets.value,
    ...grids.value,
    ...sizes.value,
    ...leverages.value,
    ...rates.value,
    ...funding.value,
    ...protection.value,
    indexStaleMs,
    maxOpenOrders,
    tiers: tiers.value,
    markBoundE8: markBoundE8(tiers.value, leverages.value.maxLeverage, rates.value.takerFeeRateE8),
  });
}

/** The mark is never further from the index than a two hundredth. */
const MARK_BOUND_MAX_E8 = RATE_ONE_E8 / 200;

/**
 * How far the mark may be from the index: half of what is between the initial margin of the highest
 * leverage and the maintenance, so that no premium liquidates what was opened without one.
 */
function markBoundE8(
  tiers: readonly RiskTier[],
  maxLeverage: number,
  takerFeeRateE8: number,
): number {
  let boundE8 = MARK_BOUND_MAX_E8;
  for (const tier of tiers) {
    const initialE8 = Math.floor(RATE_ONE_E8 / Math.min(maxLeverage, tier.maxLeverage));
    const roomE8 = initialE8 - tier.maintenanceMarginRateE8 - takerFeeRateE8;
    boundE8 = Math.min(boundE8, Math.floor(roomE8 / 2));
  }
  return Math.max(0, boundE8);
}

type Assets = Pick<ContractMarketRules, "baseAsset" | "quoteAsset" | "marginAsset">;

function parseAssets(state: State, texts: ContractMarketTexts): Result<Assets> {
  const baseAsset = state.assetsByName.get(texts.baseAsset);
  if (baseAsset === undefined) return reject("unknown-asset", "baseAsset");
  const quoteAsset = state.assetsByName.get(texts.quoteAsset);
  if (quoteAsset === undefined) return reject("unknown-asset", "quoteAsset");
  if (baseAsset === quoteAsset) return reject("malformed", "quoteAsset", "another than baseAsset");
  const marginAsset = state.assetsByName.get(texts.marginAsset);
  if (marginAsset === undefined) return reject("unknown-asset", "marginAsset");
  if (marginAsset !== quoteAsset) {
    return reject("malformed", "marginAsset", "the same as quoteAsset: contracts are linear");
  }
  return accept({ baseAsset, quoteAsset, marginAsset });
}

type Grids = Pick<
  ContractMarketRules,
  | "tick"
  | "step"
  | "pricePrecision"
  | "quantityPrecision"
  | "contractVal"
  | "baseMinorPerLot"
  | "minorPerTickLot"
>;

/** A lot in base units and a tick-lot in quote units must be whole, so that no value rounds. */
function parseGrids(texts: ContractMarketTexts, assets: Assets): Result<Grids> {
  const { baseAsset, quoteAsset } = assets;
  const { pricePrecision, quantityPrecision, contractVal } = texts;
  const tick = parseGrid(texts.tickSize);
  if (tick === null) return reject("malformed", "tickSize", "a positive decimal");
  const step = parseGrid(texts.stepSize);
  if (step === null) return reject("malformed", "stepSize", "a positive decimal");
  if (step.scale > baseAsset.scale) {
    return reject("excess-precision", "stepSize", `at most ${baseAsset.scale} decimals`);
  }
  const product = BigInt(tick.step) * BigInt(step.step) * powerOfTen(quoteAsset.scale);
  const divisor = powerOfTen(tick.scale + step.scale);
  if (product % divisor !== 0n) {
    const whole = `a whole number of 10^-${quoteAsset.scale} ${quoteAsset.asset}`;
    return reject("excess-precision", "tickSize", `times stepSize must be ${whole}`);
  }
  if (parseGrid(contractVal) === null) {
    return reject("malformed", "contractVal", "a positive decimal");
  }
  if (pricePrecision > SCALE_MAX) {
    return reject("out-of-range", "pricePrecision", `from 0 to ${SCALE_MAX}`);
  }
  if (quantityPrecision > SCALE_MAX) {
    return reject("out-of-range", "quantityPrecision", `from 0 to ${SCALE_MAX}`);
  }
  return accept({
    tick,
    step,
    pricePrecision,
    quantityPrecision,
    contractVal,
    baseMinorPerLot: BigInt(step.step) * powerOfTen(baseAsset.scale - step.scale),
    minorPerTickLot: product / divisor,
  });
}

type Sizes = Pick<
  ContractMarketRules,
  "minLots" | "maxLots" | "maxPositionLots" | "marketOpenLimitLots"
>;

function parseSizes(texts: ContractMarketTexts, step: Grid): Result<Sizes> {
  const minLots = parseLots(texts, "minOrderSize", step, 1);
  if (!minLots.ok) return minLots;
  const maxLots = parseLots(texts, "maxOrderSize", step, minLots.value);
  if (!maxLots.ok) return maxLots;
  const maxPositionLots = parseLots(texts, "maxPositionSize", step, minLots.value);
  if (!maxPositionLots.ok) return maxPositionLots;
  const marketOpenLimitLots = parseLots(texts, "marketOpenLimitSize", step, minLots.value);
  if (!marketOpenLimitLots.ok) return marketOpenLimitLots;
  return accept({
    minLots: minLots.value,
    maxLots: maxLots.value,
    maxPositionLots: maxPositionLots.value,
    marketOpenLimitLots: marketOpenLimitLots.value,
  });
}

function parseLots(
  texts: ContractMarketTexts,
  field: "minOrderSize" | "maxOrderSize" | "maxPositionSize" | "marketOpenLimitSize",
  step: Grid,
  minimum: number,
): Result<number> {
  const lots = parseSteps(texts[field], step);
  if (lots === "malformed") return reject("malformed", field);
  if (lots === "off-grid") {
    return reject("off-step", field, `a multiple of stepSize ${formatGrid(step)}`);
  }
  if (lots === "out-of-range") return reject("out-of-range", field, "at most 2^53 - 1 lots");
  if (lots < minimum)
    return reject("out-of-range", field, `at least ${formatSteps(minimum, step)}`);
  return accept(lots);
}

type Leverages = Pick<ContractMarketRules, "minLeverage" | "maxLeverage" | "defaultLeverage">;

function parseLeverages(texts: ContractMarketTexts): Result<Leverages> {
  const { minLeverage, maxLeverage, defaultLeverage } = texts;
  if (minLeverage < 1) return reject("out-of-range", "minLeverage", "at least 1");
  if (maxLeverage < minLeverage || maxLeverage > LEVERAGE_MAX) {
    return reject("out-of-range", "maxLeverage", `from minLeverage to ${LEVERAGE_MAX}`);
  }
  if (defaultLeverage < minLeverage || defaultLeverage > maxLeverage) {
    return reject("out-of-range", "defaultLeverage", "from minLeverage to maxLeverage");
  }
  return accept({ minLeverage, maxLeverage, defaultLeverage });
}

/** The rates that are read alike, with the highest that is taken. */
const RATE_BOUNDS = {
  buyLimitPriceRatio: PRICE_RATIO_MAX_E8,
  sellLimitPriceRatio: RATE_ONE_E8 - 1,
  makerFeeRate: FEE_RATE_MAX_E8,
  takerFeeRate: FEE_RATE_MAX_E8,
  liquidateFeeRate: FEE_RATE_MAX_E8,
  fundingInnerClamp: RATE_ONE_E8,
  fundingRateCap: RATE_ONE_E8,
  fundingBufferRate: RATE_ONE_E8,
} as const;
type RateName = keyof typeof RATE_BOUNDS;

type Rates = Pick<
  ContractMarketRules,
  | "buyLimitPriceRatioE8"
  | "sellLimitPriceRatioE8"
  | "makerFeeRateE8"
  | "takerFeeRateE8"
  | "liquidateFeeRateE8"
  | "interestRateE8"
  | "fundingInnerClampE8"
  | "fundingRateCapE8"
  | "fundingBufferRateE8"
>;

function parseRates(texts: ContractMarketTexts): Result<Rates> {
  const read = {} as Record<RateName, number>;
  for (const name of Object.keys(RATE_BOUNDS) as RateName[]) {
    const rateE8 = parseRate(texts[name], name, RATE_BOUNDS[name]);
    if (!rateE8.ok) return rateE8;
    read[name] = rateE8.value;
  }
  const interest = parseSignedDecimal(texts.interestRate, RATE_SCALE);
  if (typeof interest === "string") return reject(interest, "interestRate");
  const one = BigInt(RATE_ONE_E8);
  if (interest < -one || interest > one) {
    return reject("out-of-range", "interestRate", "from -1 to 1");
  }
  return accept({
    buyLimitPriceRatioE8: read.buyLimitPriceRatio,
    sellLimitPriceRatioE8: read.sellLimitPriceRatio,
    makerFeeRateE8: read.makerFeeRate,
    takerFeeRateE8: read.takerFeeRate,
    liquidateFeeRateE8: read.liquidateFeeRate,
    interestRateE8: Number(interest),
    fundingInnerClampE8: read.fundingInnerClamp,
    fundingRateCapE8: read.fundingRateCap,
    fundingBufferRateE8: read.fundingBufferRate,
  });
}

/** A rate from 0 with at most 8 decimals. */
function parseRate(text: string, field: string, maximumE8: number): Result<number> {
  const rateE8 = parseDecimal(text, RATE_SCALE);
  if (typeof rateE8 === "string") return reject(rateE8, field);
  if (rateE8 > BigInt(maximumE8)) {
    return reject("out-of-range", field, `from 0 to ${formatRate(maximumE8)}`);
  }
  return accept(Number(rateE8));
}

function formatRate(rateE8: number): string {
  return formatDecimal(BigInt(rateE8), RATE_SCALE);
}

type Funding = Pick<ContractMarketRules, "impactNotionalMinor" | "fundingIntervalMs">;

function parseFunding(texts: ContractMarketTexts, quoteAsset: Asset): Result<Funding> {
  const impactNotional = parsePositive(texts.impactNotional, quoteAsset, "impactNotional");
  if (!impactNotional.ok) return impactNotional;
  const minutes = texts.fundingIntervalMinutes;
  // Slots are the same times on every day.
  if (minutes < 1 || MINUTES_PER_DAY % minutes !== 0) {
    return reject("out-of-range", "fundingIntervalMinutes", "a divisor of 1440, the day");
  }
  return accept({
    impactNotionalMinor: impactNotional.value,
    fundingIntervalMs: minutes * MINUTE_MS,
  });
}

type Protection = Pick<
  ContractMarketRules,
  "insuranceSlippageE8" | "insuranceDrawLimitE8" | "indexStepLimitE8"
>;

/** Protects the insurance fund, and the index from a mistyped price. */
export function parseProtection(
  texts: Pick<ContractMarketTexts, keyof typeof CONTRACT_PROTECTION_DEFAULTS>,
): Result<Protection> {
  const { insuranceDrawLimit } = texts;
  const slippage = parseRate(
    texts.insuranceSlippage,
    "insuranceSlippage",
    INSURANCE_SLIPPAGE_MAX_E8,
  );
  if (!slippage.ok) return slippage;
  const drawLimit =
    insuranceDrawLimit === null
      ? accept(null)
      : parseRate(insuranceDrawLimit, "insuranceDrawLimit", RATE_ONE_E8);
  if (!drawLimit.ok) return drawLimit;
  const stepLimit = parseRate(texts.indexStepLimit, "indexStepLimit", RATE_ONE_E8);
  if (!stepLimit.ok) return stepLimit;
  if (stepLimit.value === 0) {
    return reject("out-of-range", "indexStepLimit", "more than 0, at most 1");
  }
  return accept({
    insuranceSlippageE8: slippage.value,
    insuranceDrawLimitE8: drawLimit.value,
    indexStepLimitE8: stepLimit.value,
  });
}

function parsePositive(text: string, asset: Asset, field: string): Result<bigint> {
  const amountMinor = parseDecimal(text, asset.scale);
  if (typeof amountMinor === "string") return reject(amountMinor, field);
  return amountMinor > 0n ? accept(amountMinor) : reject("out-of-range", field, "more than 0");
}

function parseTiers(texts: readonly TierTexts[], asset: Asset): Result<RiskTier[]> {
  if (texts.length < 1 || texts.length > TIERS_MAX) {
    return reject("out-of-range", "tiers", `from 1 to ${TIERS_MAX} tiers`);
  }
  const tiers: RiskTier[] = [];
  for (const text of texts) {
    const tier = parseTier(text, asset);
    if (!tier.ok) return tier;
    const refusal = refusalOfTier(tier.value, tiers.at(-1) ?? null);
    if (refusal !== null) return refusal;
    tiers.push(tier.value);
  }
  return accept(tiers);
}

function parseTier(text: TierTexts, asset: Asset): Result<RiskTier> {
  const maxNotional = parsePositive(text.maxNotional, asset, "tiers");
  if (!maxNotional.ok) return maxNotional;
  // With the highest fee rate the maintenance is still less than the whole value.
  const rate = parseRate(text.maintenanceMarginRate, "tiers", RATE_ONE_E8 - FEE_RATE_MAX_E8 - 1);
  if (!rate.ok) return rate;
  const { maxLeverage } = text;
  if (maxLeverage < 1 || maxLeverage > LEVERAGE_MAX) {
    return reject("out-of-range", "tiers", `maxLeverage from 1 to ${LEVERAGE_MAX}`);
  }
  return accept({
    maxNotionalMinor: maxNotional.value,
    maintenanceMarginRateE8: rate.value,
    maxLeverage,
  });
}

function refusalOfTier(tier: RiskTier, before: RiskTier | null): Rejection | null {
  if (tier.maintenanceMarginRateE8 * tier.maxLeverage >= RATE_ONE_E8) {
    const detail = "maintenanceMarginRate times maxLeverage below 1";
    return reject("out-of-range", "tiers", detail);
  }
  if (before === null) return null;
  if (tier.maxNotionalMinor <= before.maxNotionalMinor) {
    return reject("out-of-range", "tiers", "maxNotional in ascending order");
  }
  if (tier.maintenanceMarginRateE8 < before.maintenanceMarginRateE8) {
    return reject("out-of-range", "tiers", "maintenanceMarginRate never falls");
  }
  if (tier.maxLeverage > before.maxLeverage) {
    return reject("out-of-range", "tiers", "maxLeverage never rises");
  }
  return null;
}

/** The inverse of reading the rules. */
export function contractMarketTexts(market: ContractMarket): ContractMarketTexts {
  const { rules } = market;
  const { step, quoteAsset } = rules;
  const lots = (count: number): string => formatSteps(count, step);
  const amount = (minor: bigint): string => formatDecimal(minor, quoteAsset.scale);
  return {
    symbol: market.symbol,
    baseAsset: rules.baseAsset.asset,
    quoteAsset: quoteAsset.asset,
    marginAsset: rules.marginAsset.asset,
    tickSize: formatGrid(rules.tick),
    stepSize: formatGrid(step),
    pricePrecision: rules.pricePrecision,
    quantityPrecision: rules.quantityPrecision,
    contractVal: rules.contractVal,
    minOrderSize: lots(rules.minLots),
    maxOrderSize: lots(rules.maxLots),
    maxPositionSize: lots(rules.maxPositionLots),
    marketOpenLimitSize: lots(rules.marketOpenLimitLots),
    minLeverage: rules.minLeverage,
    maxLeverage: rules.maxLeverage,
    defaultLeverage: rules.defaultLeverage,
    buyLimitPriceRatio: formatRate(rules.buyLimitPriceRatioE8),
    sellLimitPriceRatio: formatRate(rules.sellLimitPriceRatioE8),
    makerFeeRate: formatRate(rules.makerFeeRateE8),
    takerFeeRate: formatRate(rules.takerFeeRateE8),
    liquidateFeeRate: formatRate(rules.liquidateFeeRateE8),
    interestRate: formatRate(rules.interestRateE8),
    fundingInnerClamp: formatRate(rules.fundingInnerClampE8),
    fundingRateCap: formatRate(rules.fundingRateCapE8),
    fundingBufferRate: formatRate(rules.fundingBufferRateE8),
    impactNotional: amount(rules.impactNotionalMinor),
    fundingIntervalMinutes: rules.fundingIntervalMs / MINUTE_MS,
    indexStaleMs: rules.indexStaleMs,
    maxOpenOrders: rules.maxOpenOrders,
    tiers: rules.tiers.map((tier) => ({
      maxNotional: amount(tier.maxNotionalMinor),
      maintenanceMarginRate: formatRate(tier.maintenanceMarginRateE8),
      maxLeverage: tier.maxLeverage,
    })),
    state: market.state,
    ...protectionTexts(rules),
  };
}

export function protectionTexts(rules: ContractMarketRules) {
  const { insuranceDrawLimitE8 } = rules;
  return {
    insuranceSlippage: formatRate(rules.insuranceSlippageE8),
    insuranceDrawLimit: insuranceDrawLimitE8 === null ? null : formatRate(insuranceDrawLimitE8),
    indexStepLimit: formatRate(rules.indexStepLimitE8),
  };
}
