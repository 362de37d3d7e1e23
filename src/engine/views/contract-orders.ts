/** Open contract orders and conditional orders as callers see them, in decimal text. */
import {
  formatDecimal,
  formatSteps,
  POSITION_SIDES,
  RATE_SCALE,
  SIDES,
  TIMES_IN_FORCE,
  type TimeInForce,
} from "../../domain/index.ts";
import type { AlgoOrderView, ContractOrderView } from "../../protocol/index.ts";
import { triggerLevelTicks } from "../contract/indexes/trigger-index.ts";
import { averagePriceE8, childTimeInForce } from "../contract/orders/conditional-lifecycle.ts";
import { clientOrderIdOf, marketOfContractOrder } from "../contract/orders/resting-orders.ts";
import type { AlgoOrder, ContractMarket } from "../contract/state/contract-market.ts";
import type { State, User } from "../state.ts";

export function contractOrderView({ contract }: State, slot: number): ContractOrderView {
  const { orders, extras } = contract;
  const { symbol, rules } = marketOfContractOrder(contract, slot);
  const progress = orders.progress(slot);
  const filledLots = orders.filledLots(slot);
  const filledMinor = progress?.filledQuoteMinor ?? 0n;
  const createdMs = extras.createdMs(slot);
  return {
    orderId: orders.orderId(slot),
    clientOrderId: clientOrderIdOf(contract, slot),
    symbol,
    uid: orders.uid(slot),
    side: SIDES[orders.side(slot)],
    positionSide: POSITION_SIDES[extras.positionSide(slot)],
    orderType: "LIMIT",
    timeInForce: TIMES_IN_FORCE[orders.timeInForce(slot)] as TimeInForce,
    status: "NEW",
    price: formatSteps(orders.priceTicks(slot), rules.tick),
    quantity: formatSteps(orders.quantityLots(slot), rules.step),
    filledQuantity: formatSteps(filledLots, rules.step),
    filledValue: formatDecimal(filledMinor, rules.quoteAsset.scale),
    avgPrice: formatDecimal(averagePriceE8(rules, filledLots, filledMinor), RATE_SCALE),
    reduceOnly: extras.isClosing(slot),
    createdMs,
    updatedMs: progress?.updatedMs ?? createdMs,
  };
}

/** A user's conditional orders that wait, in one market or all, by ascending id. */
export function algoOpenOrderViews(
  { contract }: State,
  user: User,
  market: ContractMarket | null,
): AlgoOrderView[] {
  const found: AlgoOrder[] = [];
  for (const account of contract.accounts.get(user)?.values() ?? []) {
    for (const owner of account.symbols.values()) {
      if (market === null || owner.market === market) {
        found.push(...contract.algoIndex.ofOwner(owner).filter(isWaiting));
      }
    }
  }
  return found.sort((one, other) => one.algoId - other.algoId).map(algoOrderView);
}

function isWaiting({ status }: AlgoOrder): boolean {
  return status === "NEW" || status === "UNTRIGGERED";
}

function algoOrderView(algo: AlgoOrder): AlgoOrderView {
  const { owner, takeProfit, stopLoss } = algo;
  const { tick, step } = owner.market.rules;
  const price = (ticks: number): string => formatSteps(ticks, tick);
  return {
    algoId: algo.algoId,
    clientAlgoId: algo.clientAlgoId,
    orderType: algo.orderType,
    symbol: owner.market.symbol,
    side: algo.side,
    positionSide: POSITION_SIDES[algo.positionSide],
    timeInForce: childTimeInForce(algo),
    quantity: formatSteps(algo.quantityLots, step),
    status: algo.status,
    actualOrderId: algo.actualOrderId === 0 ? null : algo.actualOrderId,
    actualPrice: "0",
    triggerPrice: price(triggerLevelTicks(algo)),
    price: price(algo.priceTicks),
    tpTriggerPrice: takeProfit === null ? null : price(takeProfit.ticks),
    tpPrice: takeProfit === null ? null : "0",
    slTriggerPrice: stopLoss === null ? null : price(stopLoss.ticks),
    slPrice: stopLoss === null ? null : "0",
    tpOrderType: takeProfit?.workingType ?? null,
    workingType: algo.workingType,
    closePosition: algo.closePosition,
    reduceOnly: algo.reduceOnly,
    createdMs: algo.createdMs,
    updatedMs: algo.updatedMs,
    triggeredMs: algo.triggeredMs,
  };
}
