/** Contracts: conditional orders, take-profits and stop-losses of the caller. */
import {
  algoOrderHistoryRoute,
  cancelAlgoOrderRoute,
  cancelAllAlgoOrdersRoute,
  modifyTpSlOrderRoute,
  openAlgoOrdersRoute,
  placeAlgoOrderRoute,
  placeTpSlOrderRoute,
} from "../../api/contract/algo.ts";
import { refuse } from "../../api/errors.ts";
import { type AlgoOrderType, accept } from "../../domain/index.ts";
import type { AlgoOrderView, CommandOf } from "../../protocol/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import { type BodyInput, type Endpoint, endpoint } from "../endpoint.ts";
import { isInside, type Read, readPastRange, readStartAndEnd } from "../parameters.ts";
import { withWireNames } from "../wire-names.ts";
import { cancelledAnswer, cancelledRow, placedJson, SUCCEEDED } from "./outcomes.ts";
import { querySymbolHistory } from "./symbol-history.ts";

type PlaceBody = BodyInput<typeof placeAlgoOrderRoute>;
type PlanType = BodyInput<typeof placeTpSlOrderRoute>["planType"];

const HISTORY_DAYS_MAX = 90;
/** The kinds that place a limit order. */
const LIMIT_TYPES: ReadonlySet<AlgoOrderType> = new Set(["STOP", "TAKE_PROFIT"]);

const LIMIT_KINDS: Readonly<Record<PlanType, AlgoOrderType>> = {
  TAKE_PROFIT: "TAKE_PROFIT",
  STOP_LOSS: "STOP",
};
const MARKET_KINDS: Readonly<Record<PlanType, AlgoOrderType>> = {
  TAKE_PROFIT: "TAKE_PROFIT_MARKET",
  STOP_LOSS: "STOP_MARKET",
};

export const placeConditional = endpoint(
  placeAlgoOrderRoute,
  async ({ caller, body }, { engine }) => {
    const command = conditionalCommand(caller.uid, body);
    if (!command.ok) return command;
    const placed = await engine.execute(command.value);
    if (!placed.ok) return placed;
    const { algoId, clientAlgoId } = placed.value;
    return accept({ orderId: String(algoId), clientOrderId: clientAlgoId, ...SUCCEEDED });
  },
  placedJson,
);

/** What a kind of conditional order does not have is left out, even if it was sent. */
function conditionalCommand(uid: number, body: PlaceBody): Read<CommandOf<"place-algo-order">> {
  const isTrailing = body.type === "TRAILING_STOP_MARKET";
  const triggerPrice = isTrailing ? "" : body.triggerPrice;
  const price = LIMIT_TYPES.has(body.type) ? body.price : "";
  const callbackRate = isTrailing ? body.callbackRate : "";
  const needs = `a ${body.type} order needs it`;
  if (triggerPrice === undefined) return refuse("missing-parameter", "triggerPrice", needs);
  if (price === undefined) return refuse("missing-parameter", "price", needs);
  if (callbackRate === undefined) return refuse("missing-parameter", "callbackRate", needs);
  return accept({
    type: "place-algo-order",
    uid,
    symbol: body.symbol,
    side: body.side,
    positionSide: body.positionSide,
    orderType: body.type,
    quantity: body.quantity,
    closePosition: false,
    isTpSl: false,
    triggerPrice,
    price,
    workingType: body.workingType,
    clientAlgoId: body.clientAlgoId,
    presetTakeProfitPrice: body.presetTakeProfitPrice ?? null,
    presetStopLossPrice: body.presetStopLossPrice ?? null,
    tpWorkingType: body.TpWorkingType,
    slWorkingType: body.SlWorkingType,
    callbackRate,
    activationPrice: isTrailing ? (body.activationPrice ?? null) : null,
  });
}

/** For a position that is open. */
export const placeTpSl = endpoint(placeTpSlOrderRoute, async ({ caller, body }, { engine }) => {
  const price = textUnlessZero(body.executePrice);
  const quantity = textUnlessZero(body.quantity);
  const placed = await engine.execute({
    type: "place-algo-order",
    uid: caller.uid,
    symbol: body.symbol,
    side: body.positionSide === "LONG" ? "SELL" : "BUY",
    positionSide: body.positionSide,
    orderType: (price === "" ? MARKET_KINDS : LIMIT_KINDS)[body.planType],
    quantity,
    closePosition: quantity === "",
    isTpSl: true,
    triggerPrice: body.triggerPrice,
    price,
    workingType: body.triggerPriceType,
    clientAlgoId: body.clientAlgoId,
    presetTakeProfitPrice: null,
    presetStopLossPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
    callbackRate: "",
    activationPrice: null,
  });
  return placed.ok
    ? accept([{ orderId: placed.value.algoId, ...SUCCEEDED }])
    : withWireNames(placed, { price: "executePrice" });
});

/** Zero, however it is written, counts as absent. */
function textUnlessZero(decimal: string | undefined): string {
  return decimal === undefined || /^0(\.0+)?$/.test(decimal) ? "" : decimal;
}

export const modifyTpSl = endpoint(modifyTpSlOrderRoute, async (request, { engine }) => {
  const { body, caller } = request;
  const algoId = Number(body.orderId);
  // An id beyond 2^53 was never issued here.
  if (!Number.isSafeInteger(algoId)) return refuse("algo-order-not-found", "orderId");
  const modified = await engine.executeOnce<"modify-algo-order">(requestIdOf(request), {
    type: "modify-algo-order",
    uid: caller.uid,
    algoId,
    triggerPrice: body.triggerPrice,
    executePrice: body.executePrice ?? null,
    workingType: body.triggerPriceType ?? null,
  });
  return modified.ok
    ? accept({ success: true as const })
    : withWireNames(modified, { algoId: "orderId", price: "executePrice" });
});

export const cancelConditional = endpoint(
  cancelAlgoOrderRoute,
  async ({ caller, query }, { engine }) => {
    const algoId = Number(query.orderId);
    // An id beyond 2^53 was never issued here.
    if (!Number.isSafeInteger(algoId)) return refuse("algo-order-not-found", "orderId");
    const { uid } = caller;
    const cancelled = await engine.execute({ type: "cancel-algo-order", uid, algoId });
    return cancelled.ok
      ? accept(cancelledAnswer(cancelled.value))
      : withWireNames(cancelled, { algoId: "orderId" });
  },
);

export const cancelAllConditional = endpoint(
  cancelAllAlgoOrdersRoute,
  async ({ caller: { uid }, query: { symbol = null } }, { engine }) => {
    const cancelled = await engine.execute({ type: "cancel-all-algo-orders", uid, symbol });
    return cancelled.ok ? accept(cancelled.value.map(cancelledRow)) : cancelled;
  },
);

/** Those that wait, newest first. */
export const openConditional = endpoint(
  openAlgoOrdersRoute,
  async ({ caller, query }, { engine }) => {
    const { page, limit, symbol = null } = query;
    const created = readStartAndEnd(query);
    if (!created.ok) return created;
    const open = await engine.query({ type: "algo-open-orders", uid: caller.uid, symbol });
    if (!open.ok) return open;
    const rows = open.value
      .filter(({ createdMs }) => isInside(createdMs, created.value))
      .toSorted((a, b) => b.algoId - a.algoId);
    return accept(rows.slice((page - 1) * limit, page * limit).map(openAnswer));
  },
);

/** Those that fired or ended, newest first. */
export const conditionalHistory = endpoint(
  algoOrderHistoryRoute,
  async ({ caller, query }, exchange) => {
    const { limit, symbol } = query;
    const created = readPastRange(query, HISTORY_DAYS_MAX);
    if (!created.ok) return created;
    const question = {
      uid: caller.uid,
      symbol: symbol ?? null,
      created: created.value,
      // One more than is answered tells whether there are more.
      limit: limit + 1,
    };
    const rows = await querySymbolHistory(exchange, "algo-orders", symbol, question);
    if (!rows.ok) return rows;
    return accept({
      orders: rows.value.slice(0, limit).map(historyAnswer),
      hasMore: rows.value.length > limit,
    });
  },
);

const UNSET = "" as const;

/** What is not set is "": only `actualOrderId` may be null. */
function openAnswer(order: AlgoOrderView) {
  return {
    ...listed(order),
    algoType: "CONDITIONAL" as const,
    tpTriggerPrice: order.tpTriggerPrice ?? UNSET,
    tpPrice: order.tpPrice ?? UNSET,
    slTriggerPrice: order.slTriggerPrice ?? UNSET,
    slPrice: order.slPrice ?? UNSET,
    tpOrderType: order.tpOrderType ?? UNSET,
    closePosition: order.closePosition,
    reduceOnly: order.reduceOnly,
  };
}

/** With the names of the history alone. */
function historyAnswer(order: AlgoOrderView) {
  return { ...listed(order), algoType: "PLAN" as const };
}

function listed(order: AlgoOrderView) {
  return {
    algoId: order.algoId,
    clientAlgoId: order.clientAlgoId,
    orderType: order.orderType,
    symbol: order.symbol,
    side: order.side,
    positionSide: order.positionSide,
    timeInForce: order.timeInForce,
    quantity: order.quantity,
    algoStatus: order.status,
    actualOrderId: order.actualOrderId,
    actualPrice: order.actualPrice,
    triggerPrice: order.triggerPrice,
    price: order.price,
    workingType: order.workingType,
    createTime: order.createdMs,
    updateTime: order.updatedMs,
    triggerTime: order.triggeredMs,
  };
}

export const CONDITIONAL_ORDER_ENDPOINTS: readonly Endpoint[] = [
  placeConditional,
  placeTpSl,
  modifyTpSl,
  cancelConditional,
  cancelAllConditional,
  openConditional,
  conditionalHistory,
];
