/** What is asked about spot accounts and markets, and the answers of the naive exchange. */
import {
  BILL_TYPES,
  type Bill,
  type EndedSpotOrder,
  type SpotFill,
} from "../../src/queries/index.ts";
import { naiveBalances, naiveOpenOrders } from "../models/naive-views.ts";
import { exact, greatest, text } from "../support/exact.ts";
import type { Random } from "../support/random.ts";
import type { Query } from "../support/signed-client.ts";
import { SYMBOL } from "./markets.ts";
import {
  countdownsOf,
  type Known,
  maybe,
  type Question,
  type Range,
  type Readings,
  sentOf,
  sentRange,
  someFillLimit,
  someLimit,
  somePage,
  someRange,
  someSpotFill,
  someUid,
} from "./questions.ts";
import { SPOT_MARKET_READINGS } from "./spot-market-readings.ts";

const SYMBOLS = [SYMBOL, SYMBOL, "ETHUSDT"] as const;
const ALWAYS: Range = { fromMs: null, toMs: null };
const ALL = Number.POSITIVE_INFINITY;
const AFTER_BEFORE = ["after", "before"] as const;
const STATUSES: Readonly<Record<string, string>> = {
  NEW: "open",
  FILLED: "filled",
  CANCELED: "canceled",
};
const COINS = [
  [1, "BTC"],
  [2, "USDT"],
  [3, "ETH"],
] as const;
const TYPES = { spot: "SPOT", contract: "CONTRACT" } as const;

type OpenOrder = ReturnType<typeof naiveOpenOrders>[number];
type AnyOrder = OpenOrder | EndedSpotOrder;

function openOf({ naive, uid }: Known, symbol: string | null): OpenOrder[] {
  const own = naiveOpenOrders(naive, uid).filter(
    (order) => symbol === null || order.symbol === symbol,
  );
  return own.sort((one, other) => other.orderId - one.orderId);
}

function isInside({ fromMs, toMs }: Range, timeMs: number): boolean {
  return timeMs >= (fromMs ?? 0) && timeMs <= (toMs ?? Number.POSITIVE_INFINITY);
}

/** Newest first. */
function ordersOf(known: Known, symbol: string | null, created: Range): AnyOrder[] {
  const { history, uid } = known;
  const ended = history.answer("ended-spot-orders", {
    ...{ uid, symbol, created, offset: 0, limit: ALL },
  });
  const open = openOf(known, symbol).filter(({ createdMs }) => isInside(created, createdMs));
  return [...open, ...ended].sort(
    (one, other) => other.createdMs - one.createdMs || other.orderId - one.orderId,
  );
}

function createdOf(known: Known, symbol: string): number[] {
  return ordersOf(known, symbol, ALWAYS).map(({ createdMs }) => createdMs);
}

function timesOf(rows: readonly { readonly timeMs: number }[]): number[] {
  return rows.map(({ timeMs }) => timeMs);
}

function fillTimesOf({ history, uid }: Known, symbol: string): number[] {
  const question = { uid, symbol, orderId: null, time: ALWAYS, offset: 0, limit: ALL };
  return timesOf(history.answer("spot-fills", question));
}

const isEnded = (order: AnyOrder): order is EndedSpotOrder => "endedMs" in order;

function orderOfV3(order: AnyOrder) {
  return {
    symbol: order.symbol,
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    price: order.price,
    origQty: order.quantity,
    executedQty: order.filledQuantity,
    cummulativeQuoteQty: order.filledQuote,
    status: order.status,
    timeInForce: order.timeInForce,
    type: order.orderType,
    side: order.side,
    time: order.createdMs,
    updateTime: isEnded(order) ? order.endedMs : order.updatedMs,
    isWorking: !isEnded(order),
  };
}

function orderOfV2({ history, uid }: Known, order: AnyOrder) {
  const [prices] = history.answer("spot-fill-prices", { uid, orderIds: [order.orderId] });
  return {
    accountId: String(uid),
    symbol: `${order.symbol}_SPBL`,
    orderId: String(order.orderId),
    clientOrderId: order.clientOrderId,
    price: order.price,
    quantity: isEnded(order) && order.quoteAmount !== "0" ? order.quoteAmount : order.quantity,
    orderType: order.orderType.toLowerCase(),
    side: order.side.toLowerCase(),
    status: STATUSES[order.status],
    latestFillPrice: prices?.last ?? "0",
    maxFillPrice: prices?.highest ?? "0",
    minFillPrice: prices?.lowest ?? "0",
    fillQuantity: order.filledQuantity,
    fillTotalAmount: order.filledQuote,
    cTime: String(order.createdMs),
    uTime: String(isEnded(order) ? order.endedMs : order.updatedMs),
  };
}

function fillOfV3(fill: SpotFill) {
  return {
    symbol: fill.symbol,
    id: fill.tradeId,
    orderId: fill.orderId,
    price: fill.price,
    qty: fill.quantity,
    quoteQty: fill.quoteQuantity,
    commission: fill.fee,
    commissionAsset: fill.feeAsset,
    time: fill.timeMs,
    isBuyer: fill.side === "BUY",
    maker: fill.maker,
  };
}

function fillOfV2(fill: SpotFill) {
  const [baseCoin, quoteCoin] = [fill.symbol.slice(0, 3), fill.symbol.slice(3)];
  return {
    accountId: String(fill.uid),
    symbol: `${fill.symbol}_SPBL`,
    baseCoin,
    quoteCoin,
    orderId: String(fill.orderId),
    fillId: String(fill.tradeId),
    orderType: "",
    side: fill.side.toLowerCase(),
    fillPrice: fill.price,
    fillQuantity: fill.quantity,
    fillTotalAmount: fill.quoteQuantity,
    fees: fill.fee,
    cTime: String(fill.timeMs),
  };
}

const coinIdOf = (asset: string) => COINS.find(([, name]) => name === asset)?.[0];

function billOf(bill: Bill) {
  return {
    billId: String(bill.billId),
    coinId: coinIdOf(bill.asset),
    coinName: bill.asset,
    bizType: bill.billType,
    fillSize: bill.fillQuantity,
    fillValue: bill.fillValue,
    deltaAmount: bill.delta,
    afterAmount: bill.after,
    fees: bill.fee,
    cTime: String(bill.timeMs),
  };
}

function oneOrder(known: Known, random: Random): Question | null {
  const orders = ordersOf(known, null, ALWAYS);
  if (orders.length === 0) return null;
  const order = random.pick(orders);
  const isById = random.chance(0.7);
  const key = isById ? { orderId: order.orderId } : { origClientOrderId: order.clientOrderId };
  return { sent: key, due: () => orderOfV3(order) };
}

function oneOrderOfV2(known: Known, random: Random): Question | null {
  const orders = ordersOf(known, null, ALWAYS);
  if (orders.length === 0) return null;
  const order = random.pick(orders);
  const { clientOrderId, orderId } = order;
  const key = random.chance(0.7) ? { orderId } : { clientOrderId };
  return { sent: key, due: () => [orderOfV2(known, order)] };
}

function openOrders(known: Known, random: Random): Question {
  const symbol = maybe(random, SYMBOLS);
  const sent: Query = symbol === null ? {} : { symbol };
  return { sent, due: () => openOf(known, symbol).map(orderOfV3) };
}

function openOrdersOfV2(known: Known, random: Random): Question {
  const symbol = random.pick(SYMBOLS);
  const open = openOf(known, symbol);
  const { begin, limit, page, sent } = somePage(random, open.length, 100, 100);
  return {
    sent: sentOf({ symbol: `${symbol}_SPBL`, limit: sent, pageNo: page }),
    due: () => ({
      orderInfoResultList: open.slice(begin, begin + limit).map((order) => orderOfV2(known, order)),
      nextPage: begin + limit < open.length,
      totals: open.length,
    }),
  };
}

function allOrders(known: Known, random: Random): Question {
  const symbol = random.pick(SYMBOLS);
  const range = someRange(known, random, createdOf(known, symbol));
  const rows = ordersOf(known, symbol, range);
  const { begin, limit, page, sent } = somePage(random, rows.length, 100, 1000);
  return {
    sent: {
      ...sentOf({ symbol, limit: sent, page: page === undefined ? undefined : page + 1 }),
      ...sentRange(range),
    },
    due: () => rows.slice(begin, begin + limit).map(orderOfV3),
  };
}

function orderHistory(known: Known, random: Random): Question {
  const symbol = random.pick(SYMBOLS);
  const range = someRange(known, random, createdOf(known, symbol));
  const rows = ordersOf(known, symbol, range);
  const { begin, limit, page, sent } = somePage(random, rows.length, 10, 100);
  return {
    sent: {
      ...sentOf({ symbol: `${symbol}_SPBL`, pageSize: sent, pageIndex: page }),
      ...sentRange(range, AFTER_BEFORE),
    },
    due: () => ({
      orderInfoResultList: rows.slice(begin, begin + limit).map((order) => orderOfV2(known, order)),
      nextPage: begin + limit < rows.length,
      totals: null,
    }),
  };
}

/** Of one order, or of all; now and then of somebody else's, of which nothing is told. */
function someOrderId(known: Known, random: Random): number | null {
  const of = random.chance(0.3) ? { ...known, uid: someUid(known, random) } : known;
  return maybe(random, ordersOf(of, null, ALWAYS))?.orderId ?? null;
}

function myTrades(known: Known, random: Random): Question {
  const { history, uid } = known;
  const symbol = random.pick(SYMBOLS);
  const foreign = random.chance(0.2) ? someSpotFill(known, random, symbol) : null;
  const orderId = foreign?.orderId ?? (random.chance(0.3) ? someOrderId(known, random) : null);
  const range = someRange(known, random, fillTimesOf(known, symbol));
  const ever = { uid, symbol, orderId, time: ALWAYS, offset: 0, limit: ALL };
  const fills = random.chance(0.5) ? history.answer("spot-fills", ever) : [];
  // Of the millisecond of the first one, which others may share.
  const shared = fills.filter(({ timeMs, tradeId }) => {
    return fills.some((other) => other.timeMs === timeMs && other.tradeId < tradeId);
  });
  const isBegun = fills.length > 0 && random.chance(0.4);
  const from = maybe(random, isBegun && shared.length > 0 ? shared : fills);
  const time = isBegun && from !== null ? { fromMs: from.timeMs, toMs: null } : range;
  const fromId = foreign?.tradeId ?? from?.tradeId ?? null;
  const asked = { uid, symbol, orderId, time };
  const all = history.answer("spot-fills", { ...asked, offset: 0, limit: ALL });
  const since =
    fromId === null ? [] : history.answer("spot-fills-from", { ...asked, fromId, limit: ALL });
  const ids = since.map(({ tradeId }) => tradeId);
  const { limit, sent } = someFillLimit(random, 100, 1000, ids);
  const due = () =>
    fromId === null
      ? all.slice(0, limit)
      : history.answer("spot-fills-from", { ...asked, fromId, limit });
  return {
    sent: {
      ...sentOf({
        symbol,
        limit: sent,
        orderId: orderId ?? undefined,
        fromId: fromId ?? undefined,
      }),
      ...sentRange(time),
    },
    due: () => due().map(fillOfV3),
  };
}

function fillsOfV2(known: Known, random: Random): Question {
  const { history, uid } = known;
  const symbol = random.pick(SYMBOLS);
  const time = someRange(known, random, fillTimesOf(known, symbol));
  const orderId = random.chance(0.3) ? someOrderId(known, random) : null;
  const question = { uid, symbol, orderId, time, offset: 0, limit: ALL };
  const rows = history.answer("spot-fills", question);
  const { begin, limit, page, sent } = somePage(random, rows.length, 10, 100);
  return {
    sent: {
      ...sentOf({ symbol: `${symbol}_SPBL`, pageSize: sent, pageIndex: page }),
      ...sentOf({ orderId: orderId ?? undefined }),
      ...sentRange(time, AFTER_BEFORE),
    },
    due: () => ({
      fillsOrderResultList: rows.slice(begin, begin + limit).map(fillOfV2),
      nextPage: begin + limit < rows.length,
      totals: null,
    }),
  };
}

function bills(known: Known, random: Random): Question {
  const { history, uid } = known;
  // Of a match one side moves each way, and only one of them is asked for.
  const isOneSide = random.chance(0.4);
  const coin = isOneSide ? random.pick(COINS) : maybe(random, COINS);
  const someType = random.chance(0.5) ? null : random.pick(BILL_TYPES);
  const billType = isOneSide ? random.pick(["trade_in", "trade_out"] as const) : someType;
  const of = { uid, asset: coin?.[1] ?? null, billType };
  const ever = history.answer("bills", { ...of, time: ALWAYS, limit: ALL });
  const time = someRange(known, random, timesOf(ever));
  const { limit, sent } = someLimit(random, 10, 100, ever.length);
  return {
    sent: {
      ...sentOf({ coinId: coin?.[0], bizType: billType ?? undefined, limit: sent }),
      ...sentRange(time, AFTER_BEFORE),
    },
    due: () => history.answer("bills", { ...of, time, limit }).map(billOf),
  };
}

function fundingBills(known: Known, random: Random): Question {
  const { history, uid } = known;
  const coin = maybe(random, COINS);
  const of = { uid, asset: coin?.[1] ?? null };
  const whole = { page: 1, pageSize: Number.MAX_SAFE_INTEGER };
  const ever = history.answer("funding-movements", { ...of, time: ALWAYS, page: whole });
  const time = someRange(known, random, timesOf(ever.rows));
  const { total: count } = history.answer("funding-movements", { ...of, time, page: whole });
  const { limit: pageSize, page: index, sent } = somePage(random, count, 10, 100);
  const page = index === undefined ? undefined : index + 1;
  const question = { ...of, time, page: { page: page ?? 1, pageSize } };
  return {
    sent: {
      ...sentOf({ coinId: coin?.[0], pageIndex: page, pageSize: sent }),
      ...sentRange(time),
    },
    due: () => {
      const { rows, total } = history.answer("funding-movements", question);
      const pages = Math.ceil(total / pageSize);
      return {
        total,
        pageSize,
        pages,
        page: page ?? 1,
        hasNextPage: (page ?? 1) < pages,
        items: rows.map(({ after, amount, asset, kind, movementId, timeMs }) => ({
          billId: String(movementId),
          coinId: coinIdOf(asset),
          coinName: asset,
          bizType: kind === "deposit" ? "deposit" : "withdraw",
          fillSize: null,
          fillValue: null,
          deltaAmount: kind === "deposit" ? amount : `-${amount}`,
          afterAmount: after,
          fees: "0",
          cTime: String(timeMs),
        })),
      };
    },
  };
}

function transfers(known: Known, random: Random): Question {
  const { history, uid } = known;
  const coin = maybe(random, COINS);
  const from = maybe(random, ["spot", "contract"] as const);
  const of = { uid, asset: coin?.[1] ?? null, from };
  const ever = history.answer("transfers", { ...of, time: ALWAYS, limit: ALL });
  const time = someRange(known, random, timesOf(ever));
  const { limit, sent } = someLimit(random, 100, 500, ever.length);
  const question = { ...of, time, limit };
  return {
    sent: {
      ...sentOf({
        coinId: coin?.[0],
        fromType: from === null ? undefined : TYPES[from],
        limit: sent,
      }),
      ...sentRange(time, AFTER_BEFORE),
    },
    due: () =>
      history.answer("transfers", question).map((row) => ({
        coinName: row.asset,
        status: "Successful",
        toType: TYPES[row.to],
        toSymbol: "",
        fromType: TYPES[row.from],
        fromSymbol: "",
        amount: row.amount,
        tradeTime: String(row.timeMs),
      })),
  };
}

interface Balance {
  readonly asset: string;
  readonly coinId: number;
  readonly available: string;
  readonly frozen: string;
  readonly equity: string;
}

function balancesOf({ naive, uid }: Known): Balance[] {
  return naiveBalances(naive, uid) as Balance[];
}

/** One's own of all markets, else the highest that any market has. */
function feesOf({ naive, uid }: Known) {
  const rules = [...naive.markets.values()].map((market) => market.rules);
  const own = naive.users.get(uid)?.feeRates.get("spot");
  return {
    maker: own?.maker ?? rules.map(({ makerRate }) => makerRate).reduce(greatest, 0n),
    taker: own?.taker ?? rules.map(({ takerRate }) => takerRate).reduce(greatest, 0n),
  };
}

const BASIS_POINT = exact("0.0001");

function account(known: Known): Question {
  const isActive = known.naive.users.get(known.uid)?.state === "active";
  const { maker, taker } = feesOf(known);
  return {
    sent: {},
    due: (said) => {
      return {
        makerCommission: Number(maker) / Number(BASIS_POINT),
        takerCommission: Number(taker) / Number(BASIS_POINT),
        commissionRates: { maker: text(maker), taker: text(taker) },
        updateTime: (said as Query).updateTime,
        canTrade: isActive,
        canWithdraw: isActive,
        canDeposit: true,
        accountType: "SPOT",
        balances: balancesOf(known).map(({ asset, available, frozen }) => {
          return { asset, free: available, locked: frozen };
        }),
        permissions: ["SPOT"],
        uid: known.uid,
      };
    },
  };
}

function assets(known: Known): Question {
  return {
    sent: {},
    due: () =>
      balancesOf(known).map(({ asset: coinName, available, coinId, equity, frozen }) => {
        return { coinId, coinName, available, frozen, equity };
      }),
  };
}

/** Of whoever has a wallet, whatever is traded. */
export const WALLET_READINGS: Readings = {
  "POST /api/v3/account/bills": bills,
  "POST /api/v3/account/fundingBills": fundingBills,
  "GET /api/v3/account/transferRecords": transfers,
};

export const SPOT_READINGS: Readings = {
  ...WALLET_READINGS,
  "GET /api/v3/order": oneOrder,
  "GET /api/v3/openOrders": openOrders,
  "GET /api/v3/allOrders": allOrders,
  "GET /api/v3/myTrades": myTrades,
  "GET /api/v3/account/": account,
  "GET /api/v3/order/cancelAllAfter": countdownsOf("spot"),
  "POST /api/v2/trade/orderInfo": oneOrderOfV2,
  "POST /api/v2/trade/open-orders": openOrdersOfV2,
  "POST /api/v2/trade/history": orderHistory,
  "POST /api/v2/trade/fills": fillsOfV2,
  "POST /api/v2/account/bills": bills,
  "POST /api/v2/account/fundingBills": fundingBills,
  "GET /api/v2/account/transferRecords": transfers,
  "GET /api/v2/account/assets": assets,
  ...SPOT_MARKET_READINGS,
};
