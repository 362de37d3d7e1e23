/** Rules of contracts as the operator may write them: every reason for which they are refused. */
import type { RejectReason } from "../../../src/domain/index.ts";
import type { CommandOf } from "../../../src/protocol/index.ts";
import { exact } from "../../support/exact.ts";
import {
  digitsOf,
  minorUnit,
  type NaiveAsset,
  ONE,
  readAmount,
  readLots,
  readMoney,
  readRate,
  STEPS_MAX,
} from "../naive-rules.ts";

type Command = CommandOf<"set-contract-market">;
type Reasons = Set<RejectReason>;

const MINUTES_PER_DAY = 1_440;
const STALE_MAX_MS = 86_400_000;
const LEVERAGE_MAX = 1_000;
const TIERS_MAX = 50;

export function contractRulesReasons(
  command: Command,
  assets: ReadonlyMap<string, NaiveAsset>,
): Reasons {
  const reasons: Reasons = new Set();
  if (!/^[A-Z0-9]{2,40}$/.test(command.symbol)) return reasons.add("malformed");
  const base = assets.get(command.baseAsset);
  const quote = assets.get(command.quoteAsset);
  const margin = assets.get(command.marginAsset);
  if (base === undefined || quote === undefined || margin === undefined) {
    return reasons.add("unknown-asset");
  }
  if (base === quote || margin !== quote) reasons.add("malformed");
  addGridReasons(command, base, quote, reasons);
  const step = reasons.size === 0 ? exact(command.stepSize) : 0n;
  if (step > 0n) addSizeReasons(command, step, reasons);
  addRateReasons(command, reasons);
  addTierReasons(command, margin, reasons);
  const numbers = [
    ...[isWithin(command.pricePrecision, 0, 18), isWithin(command.quantityPrecision, 0, 18)],
    ...[isWithin(command.minLeverage, 1, LEVERAGE_MAX)],
    isWithin(command.maxLeverage, command.minLeverage, LEVERAGE_MAX),
    isWithin(command.defaultLeverage, command.minLeverage, command.maxLeverage),
    isWithin(command.indexStaleMs, 0, STALE_MAX_MS),
    isWithin(command.maxOpenOrders, 1, 100_000),
    command.fundingIntervalMinutes > 0 && MINUTES_PER_DAY % command.fundingIntervalMinutes === 0,
    readMoney(command.impactNotional, quote.scale, reasons) !== 0n,
  ];
  if (numbers.includes(false)) reasons.add("out-of-range");
  return reasons;
}

function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

function addGridReasons(
  command: Command,
  base: NaiveAsset,
  quote: NaiveAsset,
  reasons: Reasons,
): void {
  const texts = [command.tickSize, command.stepSize, command.contractVal];
  const grids = texts.map((text) => readAmount(text, reasons) ?? 0n);
  if (grids.some((grid) => grid === 0n || digitsOf(grid) > STEPS_MAX)) reasons.add("malformed");
  const [tick = 0n, step = 0n] = grids;
  const isWhole = (tick * step) % (minorUnit(quote.scale) * ONE) === 0n;
  if (step % minorUnit(base.scale) !== 0n || !isWhole) reasons.add("excess-precision");
}

function addSizeReasons(command: Command, step: bigint, reasons: Reasons): void {
  const least = readLots(command.minOrderSize, step, reasons);
  for (const field of ["maxOrderSize", "maxPositionSize", "marketOpenLimitSize"] as const) {
    if (readLots(command[field], step, reasons) < least) reasons.add("out-of-range");
  }
}

function addRateReasons(command: Command, reasons: Reasons): void {
  const most = {
    ...{ buyLimitPriceRatio: exact("10"), sellLimitPriceRatio: ONE - 1n },
    ...{ makerFeeRate: ONE / 10n, takerFeeRate: ONE / 10n, liquidateFeeRate: ONE / 10n },
    ...{ fundingInnerClamp: ONE, fundingRateCap: ONE, fundingBufferRate: ONE },
    ...{ insuranceSlippage: ONE / 2n, indexStepLimit: ONE },
  } as const;
  for (const [field, rate] of Object.entries(most)) {
    readRate(command[field as keyof typeof most], rate, reasons);
  }
  if (command.insuranceDrawLimit !== null) readRate(command.insuranceDrawLimit, ONE, reasons);
  readRate(command.interestRate.replace(/^-/, ""), ONE, reasons);
  if (/^0(\.0+)?$/.test(command.indexStepLimit)) reasons.add("out-of-range");
}

function addTierReasons({ tiers }: Command, margin: NaiveAsset, reasons: Reasons): void {
  const isCount = isWithin(tiers.length, 1, TIERS_MAX);
  const read = tiers.map(({ maintenanceMarginRate, maxLeverage, maxNotional }) => ({
    notional: readMoney(maxNotional, margin.scale, reasons) ?? ONE,
    rate: readRate(maintenanceMarginRate, (ONE * 9n) / 10n - 1n, reasons),
    leverage: maxLeverage,
  }));
  const isOrdered = read.every(({ leverage, notional, rate }, index) => {
    const before = read[index - 1];
    const isSound = notional > 0n && rate * BigInt(leverage) < ONE;
    if (!isSound || !isWithin(leverage, 1, LEVERAGE_MAX)) return false;
    if (before === undefined) return true;
    return notional > before.notional && rate >= before.rate && leverage <= before.leverage;
  });
  if (!isCount || !isOrdered) reasons.add("out-of-range");
}
