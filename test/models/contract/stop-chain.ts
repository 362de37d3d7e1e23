/**
 * An exchange on which one trade sets off thousands of triggers: sellers rest a tick apart, and
 * each of many stop orders buys from the next one, at the price that triggers the next stop.
 */
import { RULES_VERSION } from "../../../src/engine/index.ts";
import type { Command, CommandOf } from "../../../src/protocol/index.ts";
import { registration } from "../spot-setup.ts";
import { NOTHING_ATTACHED } from "./contract-setup.ts";

const ACTOR = "operator";
const SYMBOL = "ACOQUO";
const MAKER = 1;
export const TRADERS = [2, 3, 4, 5];
export const BASE_TICKS = 100_000;
const ORDERS_MAX = 100_000;

const MARKET: CommandOf<"set-contract-market"> = {
  ...{ type: "set-contract-market", actor: ACTOR, symbol: SYMBOL },
  ...{ baseAsset: "ACO", quoteAsset: "QUO", marginAsset: "QUO" },
  ...{ tickSize: "1", stepSize: "1", pricePrecision: 0, quantityPrecision: 0, contractVal: "1" },
  ...{ minOrderSize: "1", maxOrderSize: "100000", maxPositionSize: "100000" },
  ...{ marketOpenLimitSize: "100000", minLeverage: 1, maxLeverage: 50, defaultLeverage: 20 },
  ...{ buyLimitPriceRatio: "0.5", sellLimitPriceRatio: "0.5" },
  ...{ makerFeeRate: "0.0002", takerFeeRate: "0.0008", liquidateFeeRate: "0.01" },
  ...{ interestRate: "0.0001", fundingInnerClamp: "0.0005", fundingRateCap: "0.0075" },
  ...{ fundingBufferRate: "0.001", impactNotional: "50000", fundingIntervalMinutes: 480 },
  ...{ insuranceSlippage: "0.002", insuranceDrawLimit: null, indexStepLimit: "0.1" },
  ...{ indexStaleMs: 86_400_000, maxOpenOrders: ORDERS_MAX, state: "trading" },
  tiers: [{ maxNotional: "1000000000000", maintenanceMarginRate: "0.005", maxLeverage: 50 }],
};

/** Assets, market, index and users with more than they can lose. */
export function chainSetup(): Command[] {
  const users = [MAKER, ...TRADERS].flatMap((uid): Command[] => [
    registration(uid, `invite-${uid}`, null),
    {
      ...{ type: "deposit-funds", actor: ACTOR, requestId: `funds-${uid}`, uid },
      ...{ wallet: "contract", asset: "QUO", amount: "100000000000" },
    },
  ]);
  return [
    { type: "adopt-rules", version: RULES_VERSION },
    { type: "set-asset", actor: ACTOR, asset: "ACO", coinId: 1, name: "ACO", scale: 0 },
    { type: "set-asset", actor: ACTOR, asset: "QUO", coinId: 2, name: "QUO", scale: 4 },
    MARKET,
    {
      type: "set-index-price",
      actor: ACTOR,
      symbol: SYMBOL,
      price: String(BASE_TICKS),
      force: true,
    },
    ...users,
  ];
}

/** An order of one lot that opens. */
export function opening(
  uid: number,
  positionSide: "LONG" | "SHORT",
  priceTicks: number,
  clientOrderId: string,
): CommandOf<"place-contract-order"> {
  return {
    ...{ type: "place-contract-order", uid, symbol: SYMBOL, positionSide },
    side: positionSide === "LONG" ? "BUY" : "SELL",
    ...{ orderType: "LIMIT", timeInForce: "GTC", price: String(priceTicks), quantity: "1" },
    ...{ clientOrderId, ...NOTHING_ATTACHED },
  };
}

/** Buys a lot at the market when the price is reached. */
export function stop(
  uid: number,
  triggerTicks: number,
  workingType: "CONTRACT_PRICE" | "MARK_PRICE",
): CommandOf<"place-algo-order"> {
  return {
    ...{ type: "place-algo-order", uid, symbol: SYMBOL, side: "BUY", positionSide: "LONG" },
    ...{ orderType: "STOP_MARKET", quantity: "1", closePosition: false, isTpSl: false },
    ...{ triggerPrice: String(triggerTicks), price: "", workingType },
    ...{ clientAlgoId: `stop-${workingType}-${triggerTicks}` },
    ...{ presetTakeProfitPrice: null, presetStopLossPrice: null },
    ...{ tpWorkingType: "CONTRACT_PRICE", slWorkingType: "CONTRACT_PRICE" },
    ...{ callbackRate: "", activationPrice: null },
  };
}

/**
 * A last price at the base, and above it sellers at every tick and stops that chain: whoever takes
 * the first seller fires `length` of them.
 */
export function chain(length: number): Command[] {
  const commands: Command[] = [
    opening(MAKER, "SHORT", BASE_TICKS, "first"),
    opening(TRADERS[0] as number, "LONG", BASE_TICKS, "first"),
  ];
  for (let i = 1; i <= length + 1; i++) {
    commands.push(opening(MAKER, "SHORT", BASE_TICKS + i, `seller-${i}`));
  }
  for (let i = 1; i <= length; i++) {
    const uid = TRADERS[i % TRADERS.length] as number;
    commands.push(stop(uid, BASE_TICKS + i, "CONTRACT_PRICE"));
  }
  return commands;
}
