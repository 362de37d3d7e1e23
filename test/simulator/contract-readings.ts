/** What is asked about contracts, and the answers of the naive exchange. */
import type { Income } from "../../src/queries/index.ts";
import {
  naiveContractBalances,
  naiveContractOpenOrders,
  naiveContractPrices,
  naiveContractSettings,
  naiveOpenConditionalOrders,
  naivePositions,
} from "../models/contract/naive-contract-views.ts";
import type { Random } from "../support/random.ts";
import type { Query } from "../support/signed-client.ts";
import { SYMBOL, TWO_SYMBOLS } from "./markets.ts";
import {
  CONTRACT_INTERVALS,
  candleRow,
  countdownsOf,
  intervalsIn,
  type Known,
  lengthOf,
  maybe,
  type Question,
  type Range,
  type Readings,
  sentOf,
  sentRange,
  someFillLimit,
  someLimit,
  somePage,
  somePast,
  someRange,
  someUid,
} from "./questions.ts";

type Row = Readonly<Record<string, unknown>>;

const MINUTE_MS = 60_000;
const SYMBOLS = [SYMBOL, ...TWO_SYMBOLS] as const;
const ALL = Number.POSITIVE_INFINITY;
const ALWAYS: Range = { fromMs: null, toMs: null };
const INCOME_TYPES = [
  ...["deposit", "withdraw", "transfer_in", "transfer_out", "position_open_long"],
  ...["position_open_short", "position_close_long", "position_close_short", "position_funding"],
  ...["start_liquidate", "order_fix_margin_amount", "finish_liquidate"],
] as Income["incomeType"][];

const isOf = (symbol: string | null) => (row: Row) => symbol === null || row.symbol === symbol;

function isInside({ fromMs, toMs }: Range, timeMs: unknown): boolean {
  return Number(timeMs) >= (fromMs ?? 0) && Number(timeMs) <= (toMs ?? ALL);
}

function timesOf<Name extends string>(
  rows: readonly { readonly [_ in Name]?: unknown }[],
  name: Name,
): number[] {
  return rows.map((row) => Number(row[name]));
}

/** Oldest first. */
function openOf({ naive, uid }: Known): Row[] {
  const rows = naiveContractOpenOrders(naive, uid) as Row[];
  return rows.sort((one, other) => Number(one.orderId) - Number(other.orderId));
}

/** Newest first. */
function endedOf({ history, uid }: Known, symbol: string | null, created: Range): Row[] {
  const question = { uid, symbol, created, offset: 0, limit: ALL };
  return history.answer("ended-contract-orders", question).map((row) => ({ ...row }));
}

function listed(order: Row) {
  return {
    orderId: order.orderId,
    symbol: order.symbol,
    side: order.side,
    positionSide: order.positionSide,
    status: order.status,
    type: order.orderType,
    time: order.createdMs,
    price: order.price,
    origQty: order.quantity,
    executedQty: order.filledQuantity,
    avgPrice: order.avgPrice,
    updateTime: order.endedMs ?? order.updatedMs,
    clientOrderId: order.clientOrderId,
    cumQuote: order.filledValue,
    timeInForce: order.timeInForce,
  };
}

function whole(order: Row) {
  return {
    ...listed(order),
    stopPrice: "0",
    reduceOnly: order.reduceOnly,
    workingType: "CONTRACT_PRICE",
    priceProtect: false,
    priceMatch: "NONE",
    selfTradePreventionMode: "NONE",
    goodTillDate: 0,
  };
}

const upper = (word: unknown) => String(word).replaceAll("-", "_").toUpperCase();

function detailed(order: Row) {
  return {
    ...listed(order),
    orderSource: order.origin === "user" ? "API" : upper(order.origin),
    cancelReason: order.reason === "filled" ? "UNKNOWN_ORDER_CANCEL_REASON" : upper(order.reason),
  };
}

function oneOrder(known: Known, random: Random): Question | null {
  const orders = [...openOf(known), ...endedOf(known, null, ALWAYS)];
  if (orders.length === 0) return null;
  const order = random.pick(orders);
  return { sent: { orderId: Number(order.orderId) }, due: () => whole(order) };
}

function openOrders(known: Known, random: Random): Question {
  const symbol = maybe(random, SYMBOLS);
  const created = someRange(known, random, timesOf(openOf(known), "createdMs"));
  const after = random.chance(0.3) ? Number(maybe(random, openOf(known))?.orderId ?? 0) : 0;
  const rows = openOf(known)
    .filter(isOf(symbol))
    .filter(({ createdMs, orderId }) => isInside(created, createdMs) && Number(orderId) > after);
  const { begin, limit, page, sent } = somePage(random, rows.length, 100, 100);
  return {
    sent: {
      ...sentOf({ symbol: symbol ?? undefined, limit: sent, page, orderId: after || undefined }),
      ...sentRange(created),
    },
    due: () => rows.slice(begin, begin + limit).map(whole),
  };
}

function orderHistory(known: Known, random: Random): Question {
  const symbol = maybe(random, SYMBOLS);
  const created = someRange(known, random, timesOf(endedOf(known, symbol, ALWAYS), "createdMs"));
  const detail = random.pick([undefined, "BASIC", "FULL"]);
  const rows = endedOf(known, symbol, created);
  const { begin, limit, page, sent } = somePage(random, rows.length, 500, 1000);
  return {
    sent: {
      ...sentOf({ symbol: symbol ?? undefined, limit: sent, page, detail }),
      ...sentRange(created),
    },
    due: () => rows.slice(begin, begin + limit).map(detail === "FULL" ? detailed : listed),
  };
}

function userTrades(known: Known, random: Random): Question {
  const { history, uid } = known;
  const symbol = maybe(random, SYMBOLS);
  const detail = random.pick([undefined, "BASIC", "FULL"]);
  const owner = random.chance(0.3) ? { ...known, uid: someUid(known, random) } : known;
  const orders = random.chance(0.3) ? [...openOf(owner), ...endedOf(owner, null, ALWAYS)] : [];
  const orderId = orders.length === 0 ? null : Number(random.pick(orders).orderId);
  const of = { uid, symbol, orderId };
  const ever = history.answer("contract-fills", { ...of, time: ALWAYS, limit: ALL });
  const asked = { ...of, time: someRange(known, random, timesOf(ever, "timeMs")) };
  const all = history.answer("contract-fills", { ...asked, limit: ALL });
  const fromId = random.chance(0.5) && all.length > 0 ? random.pick([...all]).tradeId : null;
  const since =
    fromId === null ? all : history.answer("contract-fills-from", { ...asked, fromId, limit: ALL });
  const ids = fromId === null ? [] : since.map(({ tradeId }) => tradeId);
  const { limit, sent } = someFillLimit(random, 100, 100, ids);
  const rows =
    fromId === null
      ? since.slice(0, limit)
      : history.answer("contract-fills-from", { ...asked, fromId, limit });
  return {
    sent: {
      ...sentOf({ symbol: symbol ?? undefined, limit: sent, detail }),
      ...sentOf({ orderId: orderId ?? undefined, fromId: fromId ?? undefined }),
      ...sentRange(asked.time),
    },
    due: () =>
      rows.map((fill) => ({
        id: fill.tradeId,
        orderId: fill.orderId,
        symbol: fill.symbol,
        buyer: fill.side === "BUY",
        commission: fill.fee,
        commissionAsset: fill.feeAsset,
        maker: fill.maker,
        price: fill.price,
        qty: fill.quantity,
        quoteQty: fill.value,
        realizedPnl: fill.realizedPnl,
        side: fill.side,
        positionSide: fill.positionSide,
        time: fill.timeMs,
        ...(detail === "FULL" ? { matchType: upper(fill.kind) } : {}),
      })),
  };
}

function conditional(order: Row) {
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

function openConditional(known: Known, random: Random): Question {
  const { naive, uid } = known;
  const symbol = maybe(random, SYMBOLS);
  const open = naiveOpenConditionalOrders(naive, uid) as Row[];
  const created = someRange(known, random, timesOf(open, "createdMs"));
  const rows = open
    .filter(isOf(symbol))
    .filter(({ createdMs }) => isInside(created, createdMs))
    .sort((one, other) => Number(other.algoId) - Number(one.algoId));
  const { begin, limit, page, sent } = somePage(random, rows.length, 100, 100);
  return {
    sent: {
      ...sentOf({ symbol: symbol ?? undefined, limit: sent }),
      ...sentOf({ page: page === undefined ? undefined : page + 1 }),
      ...sentRange(created),
    },
    due: () =>
      rows.slice(begin, begin + limit).map((order) => ({
        ...conditional(order),
        algoType: "CONDITIONAL",
        tpTriggerPrice: order.tpTriggerPrice ?? "",
        tpPrice: order.tpPrice ?? "",
        slTriggerPrice: order.slTriggerPrice ?? "",
        slPrice: order.slPrice ?? "",
        tpOrderType: order.tpOrderType ?? "",
        closePosition: order.closePosition,
        reduceOnly: order.reduceOnly,
      })),
  };
}

function pastConditional(known: Known, random: Random): Question {
  const { history, uid } = known;
  const symbol = maybe(random, SYMBOLS);
  const of = { uid, symbol, limit: ALL };
  const ever = history.answer("algo-orders", { ...of, created: ALWAYS });
  const created = someRange(known, random, timesOf(ever, "createdMs"));
  const rows = history.answer("algo-orders", { ...of, created });
  const { limit, sent } = someLimit(random, 500, 1000, rows.length);
  return {
    sent: { ...sentOf({ symbol: symbol ?? undefined, limit: sent }), ...sentRange(created) },
    due: () => ({
      orders: rows.slice(0, limit).map((row) => ({ ...conditional({ ...row }), algoType: "PLAN" })),
      hasMore: rows.length > limit,
    }),
  };
}

export function incomeItem(row: Income) {
  return {
    billId: row.incomeId,
    asset: row.asset,
    symbol: row.symbol,
    income: row.income,
    incomeType: row.incomeType,
    balance: row.balance,
    fillFee: row.fillFee,
    time: row.timeMs,
    transferReason: row.transferReason,
  };
}

function income(known: Known, random: Random): Question {
  const { history, uid } = known;
  const symbol = random.chance(0.3) ? random.pick(SYMBOLS) : null;
  const incomeType = random.chance(0.4) ? random.pick(INCOME_TYPES) : null;
  const asset = random.pick([null, null, "USDT"]);
  const of = { uid, asset, symbol, incomeType, limit: ALL };
  const ever = history.answer("income", { ...of, time: ALWAYS, before: null });
  const time = someRange(known, random, timesOf(ever, "timeMs"));
  const question = { ...of, time };
  const all = history.answer("income", { ...question, before: null });
  const before = random.chance(0.3) && all.length > 0 ? random.pick([...all]) : null;
  const rows = before === null ? all : history.answer("income", { ...question, before });
  const { limit, sent } = someLimit(random, 20, 100, rows.length);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasNextPage = rows.length > limit;
  return {
    sent: {
      ...sentOf({ symbol: symbol ?? undefined, incomeType: incomeType ?? undefined, limit: sent }),
      ...sentOf({ nextKeyId: before?.incomeId, nextKeyTime: before?.timeMs }),
      ...sentOf({ asset: asset ?? undefined }),
      ...sentRange(time),
    },
    due: () => ({
      hasNextPage,
      nextKey:
        hasNextPage && last !== undefined
          ? { nextKeyId: last.incomeId, nextKeyTime: last.timeMs }
          : null,
      items: page.map(incomeItem),
    }),
  };
}

/** The time range covers at most seven days. */
function fundingRates(known: Known, random: Random): Question {
  const symbol = random.pick(SYMBOLS);
  const ever = known.history.answer("funding-rates", { symbol, time: ALWAYS, limit: ALL });
  const { fromMs, toMs } = someRange(known, random, timesOf(ever, "slotMs"));
  const time = { fromMs, toMs: fromMs === null ? toMs : null };
  const { limit, sent } = someLimit(random, 100, 1000);
  const rows = known.history.answer("funding-rates", { symbol, time, limit });
  return {
    sent: { ...sentOf({ symbol, limit: sent }), ...sentRange(time) },
    due: () =>
      rows.map(({ markPrice, rate, slotMs }) => {
        return { symbol, fundingRate: rate, fundingTime: slotMs, markPrice };
      }),
  };
}

function balances({ naive, uid }: Known): Question {
  return {
    sent: {},
    due: () =>
      (naiveContractBalances(naive, uid) as Row[]).map((row) => ({
        asset: row.asset,
        balance: row.balance,
        availableBalance: row.availableBalance,
        frozen: row.frozen,
        unrealizePnl: row.unrealizePnl,
      })),
  };
}

/**
 * The naive exchange carries out a cascade at once, the engine in slices, each a command of its own
 * that the positions name which it changes.
 */
function positionsAs(said: unknown, { naive, uid }: Known, isAsked = (_: Row) => true): Row[] {
  const rows = Array.isArray(said) ? (said as Row[]) : [];
  return (naivePositions(naive, uid) as Row[]).filter(isAsked).map((row, index) => {
    const sequences = ["createdMatchSequenceId", "updatedMatchSequenceId"].map((name) => {
      const [due, told] = [Number(row[name]), Number(rows[index]?.[name])];
      return [name, told >= due && told <= naive.lastSliceOf(due) ? told : due];
    });
    return { ...row, ...Object.fromEntries(sequences) };
  });
}

function allPositions(known: Known): Question {
  return { sent: {}, due: (said) => positionsAs(said, known) };
}

function onePosition(known: Known, random: Random): Question {
  const symbol = random.pick(SYMBOLS);
  return { sent: { symbol }, due: (said) => positionsAs(said, known, isOf(symbol)) };
}

function symbolConfig({ naive, uid }: Known, random: Random): Question {
  const symbol = maybe(random, SYMBOLS);
  const rows = (naiveContractSettings(naive, uid) as Row[]).filter(isOf(symbol));
  return {
    sent: sentOf({ symbol: symbol ?? undefined }),
    due: () =>
      rows.map((row) => ({
        symbol: row.symbol,
        marginType: row.marginType,
        crossLeverage: String(row.crossLeverage),
        isolatedLongLeverage: String(row.isolatedLongLeverage),
        isolatedShortLeverage: String(row.isolatedShortLeverage),
        separatedType: row.separatedType,
      })),
  };
}

function trades({ history }: Known, random: Random): Question {
  const symbol = random.pick(SYMBOLS);
  const { limit, sent } = someLimit(random, 100, 1000);
  return {
    sent: sentOf({ symbol, limit: sent }),
    due: () =>
      history.answer("public-contract-trades", { symbol, limit }).map((trade) => ({
        id: String(trade.tradeId),
        time: trade.timeMs,
        price: trade.price,
        qty: trade.quantity,
        quoteQty: trade.quoteQuantity,
        isBestMatch: true,
        isBuyerMaker: trade.buyerIsMaker,
      })),
  };
}

function historyKlines(known: Known, random: Random): Question {
  const symbol = random.pick(SYMBOLS);
  const interval = random.pick(CONTRACT_INTERVALS);
  const priceType = random.pick(["LAST", "INDEX", "MARK"] as const);
  const time = somePast(known, random);
  const lengthMs = lengthOf(interval);
  const rows = lengthMs === null ? null : intervalsIn(time, lengthMs);
  const { limit, sent } = someLimit(random, 100, 100, rows);
  const question = { symbol, priceType, interval, time, nowMs: known.nowMs, limit };
  return {
    sent: { ...sentOf({ symbol, interval, priceType, limit: sent }), ...sentRange(time) },
    due: () =>
      known.history.answer("contract-candles", question).map((one) => candleRow({ ...one })),
  };
}

/** The forecast is another one in another minute. */
function premiumIndex({ naive, nowMs }: Known, random: Random): Question {
  const symbol = maybe(random, SYMBOLS);
  return {
    sent: sentOf({ symbol: symbol ?? undefined }),
    due: (said) => {
      const shown = said as readonly Query[];
      const rows = (naiveContractPrices(naive, nowMs) as Row[]).filter(isOf(symbol));
      return rows.map((row, index) => ({
        symbol: row.symbol,
        markPrice: row.markPrice,
        indexPrice: row.indexPrice,
        forecastFundingRate: isSameMinute(nowMs, shown[index]?.time)
          ? row.forecastFundingRate
          : shown[index]?.forecastFundingRate,
        lastFundingRate: row.lastFundingRate,
        interestRate: row.interestRate,
        nextFundingTime: row.nextFundingMs,
        time: shown[index]?.time,
        collectCycle: row.fundingIntervalMinutes,
      }));
    },
  };
}

function isSameMinute(ms: number, other: unknown): boolean {
  return Math.floor(ms / MINUTE_MS) === Math.floor(Number(other) / MINUTE_MS);
}

function openInterest({ naive, nowMs }: Known, random: Random): Question {
  const symbol = random.pick(SYMBOLS);
  const [row] = (naiveContractPrices(naive, nowMs) as Row[]).filter(isOf(symbol));
  return {
    sent: { symbol },
    due: (said) => ({ symbol, openInterest: row?.openInterest, time: (said as Query).time }),
  };
}

export const CONTRACT_READINGS: Readings = {
  "GET /capi/v3/order": oneOrder,
  "GET /capi/v3/openOrders": openOrders,
  "GET /capi/v3/order/history": orderHistory,
  "GET /capi/v3/userTrades": userTrades,
  "GET /capi/v3/openAlgoOrders": openConditional,
  "GET /capi/v3/allAlgoOrders": pastConditional,
  "GET /capi/v3/order/cancelAllAfter": countdownsOf("contract"),
  "POST /capi/v3/account/income": income,
  "GET /capi/v3/account/balance": balances,
  "GET /capi/v3/account/position/allPosition": allPositions,
  "GET /capi/v3/account/position/singlePosition": onePosition,
  "GET /capi/v3/account/symbolConfig": symbolConfig,
  "GET /capi/v3/market/fundingRate": fundingRates,
  "GET /capi/v3/market/trades": trades,
  "GET /capi/v3/market/historyKlines": historyKlines,
  "GET /capi/v3/market/premiumIndex": premiumIndex,
  "GET /capi/v3/market/openInterest": openInterest,
};
