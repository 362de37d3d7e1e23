/** A conditional order as contract routes answer it. */
import type { AlgoOrderView } from "../../protocol/index.ts";

const UNSET = "" as const;

/** What is not set is "": only `actualOrderId` may be null. */
export function openAlgoAnswer(algo: AlgoOrderView) {
  return {
    ...listed(algo),
    algoType: "CONDITIONAL" as const,
    tpTriggerPrice: algo.tpTriggerPrice ?? UNSET,
    tpPrice: algo.tpPrice ?? UNSET,
    slTriggerPrice: algo.slTriggerPrice ?? UNSET,
    slPrice: algo.slPrice ?? UNSET,
    tpOrderType: algo.tpOrderType ?? UNSET,
    closePosition: algo.closePosition,
    reduceOnly: algo.reduceOnly,
  };
}

/** With the names of the history alone. */
export function historyAlgoAnswer(algo: AlgoOrderView) {
  return { ...listed(algo), algoType: "PLAN" as const };
}

function listed(algo: AlgoOrderView) {
  return {
    algoId: algo.algoId,
    clientAlgoId: algo.clientAlgoId,
    orderType: algo.orderType,
    symbol: algo.symbol,
    side: algo.side,
    positionSide: algo.positionSide,
    timeInForce: algo.timeInForce,
    quantity: algo.quantity,
    algoStatus: algo.status,
    actualOrderId: algo.actualOrderId,
    actualPrice: algo.actualPrice,
    triggerPrice: algo.triggerPrice,
    price: algo.price,
    workingType: algo.workingType,
    createTime: algo.createdMs,
    updateTime: algo.updatedMs,
    triggerTime: algo.triggeredMs,
  };
}
