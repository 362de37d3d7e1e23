/** Reads a conditional order against the rules of its market. */
import {
  accept,
  formatDecimal,
  parseDecimal,
  type Rejection,
  type Result,
  reject,
  type WorkingType,
} from "../../../domain/index.ts";
import type { CommandOf } from "../../../protocol/index.ts";
import { checkSize, readLots, readTicks } from "../../orders/order-intake.ts";
import {
  type ContractMarket,
  LONG,
  type PositionSideIndex,
  type PresetTrigger,
  SHORT,
} from "../state/contract-market.ts";

export type PlaceConditionalOrder = CommandOf<"place-algo-order">;

/** The terms of a conditional order; 0 and null mean absent. */
export interface ConditionalTerms {
  readonly positionSide: PositionSideIndex;
  /** It closes a position; else it opens or adds to one. */
  readonly reduceOnly: boolean;
  readonly quantityLots: number;
  readonly triggerTicks: number;
  readonly priceTicks: number;
  readonly callbackRateE8: number;
  readonly activationTicks: number;
  readonly takeProfit: PresetTrigger | null;
  readonly stopLoss: PresetTrigger | null;
}

/** Percent with six decimals are units of 10^-8: a rate of one percent is 10^6 of them. */
const PERCENT_SCALE = 6;
const CALLBACK_MIN_E8 = 100_000n;
const CALLBACK_MAX_E8 = 10_000_000n;

/** Reads every form, in the order in which they are to be refused. */
export function readConditionalTerms(
  market: ContractMarket,
  command: PlaceConditionalOrder,
): Result<ConditionalTerms> {
  const positionSide = command.positionSide === "LONG" ? LONG : SHORT;
  const reduceOnly = (command.side === "BUY") !== (positionSide === LONG);
  const trailing = command.orderType === "TRAILING_STOP_MARKET";
  if (trailing && command.workingType !== "CONTRACT_PRICE") {
    return reject("out-of-range", "workingType", "a trailing stop follows the last price");
  }
  const triggerTicks = trailing ? 0 : readTicks(market, command.triggerPrice, "triggerPrice");
  if (typeof triggerTicks !== "number") return triggerTicks;
  const priceTicks = hasPrice(command) ? readTicks(market, command.price, "price") : 0;
  if (typeof priceTicks !== "number") return priceTicks;
  const quantityLots = readQuantity(market, command, reduceOnly);
  if (typeof quantityLots !== "number") return quantityLots;
  const callbackRateE8 = trailing ? readCallback(command.callbackRate) : 0;
  if (typeof callbackRateE8 !== "number") return callbackRateE8;
  const activation = trailing ? command.activationPrice : null;
  const activationTicks =
    activation === null ? 0 : readTicks(market, activation, "activationPrice");
  if (typeof activationTicks !== "number") return activationTicks;
  const { presetTakeProfitPrice, presetStopLossPrice, tpWorkingType, slWorkingType } = command;
  const takeProfit = readPreset(
    market,
    presetTakeProfitPrice,
    tpWorkingType,
    "presetTakeProfitPrice",
  );
  if (!takeProfit.ok) return takeProfit;
  const stopLoss = readPreset(market, presetStopLossPrice, slWorkingType, "presetStopLossPrice");
  if (!stopLoss.ok) return stopLoss;
  return accept({
    positionSide,
    reduceOnly,
    quantityLots,
    triggerTicks,
    priceTicks,
    callbackRateE8,
    activationTicks,
    takeProfit: takeProfit.value,
    stopLoss: stopLoss.value,
  });
}

/** Whether the order that it places has a limit price. */
export function hasPrice({ orderType }: Pick<PlaceConditionalOrder, "orderType">): boolean {
  return orderType === "STOP" || orderType === "TAKE_PROFIT";
}

/** The quantity in lots, within the limits of an order; 0 for the whole position. */
function readQuantity(
  market: ContractMarket,
  command: PlaceConditionalOrder,
  reduceOnly: boolean,
): number | Rejection {
  if (command.closePosition) {
    if (reduceOnly) return 0;
    return reject("out-of-range", "closePosition", "only an order that closes");
  }
  const { rules } = market;
  const lots = readLots(market, command.quantity);
  if (typeof lots !== "number") return lots;
  const opensAtMarket = !reduceOnly && !hasPrice(command);
  const maxLots = opensAtMarket
    ? Math.min(rules.maxLots, rules.marketOpenLimitLots)
    : rules.maxLots;
  return checkSize(market, lots, maxLots) ?? lots;
}

/** How far the price may turn back, as a rate in 10^-8. */
function readCallback(percent: string): number | Rejection {
  const rateE8 = parseDecimal(percent, PERCENT_SCALE);
  if (typeof rateE8 === "string") return reject(rateE8, "callbackRate");
  if (rateE8 < CALLBACK_MIN_E8 || rateE8 > CALLBACK_MAX_E8) {
    const bound = (boundE8: bigint): string => formatDecimal(boundE8, PERCENT_SCALE);
    const range = `from ${bound(CALLBACK_MIN_E8)} to ${bound(CALLBACK_MAX_E8)} percent`;
    return reject("out-of-range", "callbackRate", range);
  }
  return Number(rateE8);
}

function readPreset(
  market: ContractMarket,
  text: string | null,
  workingType: WorkingType,
  field: string,
): Result<PresetTrigger | null> {
  if (text === null) return accept(null);
  const ticks = readTicks(market, text, field);
  return typeof ticks === "number" ? accept({ ticks, workingType }) : ticks;
}
