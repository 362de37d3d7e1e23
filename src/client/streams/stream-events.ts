/**
 * Events of the streams, with the field names of REST, and their decoding. Amounts are decimal
 * text, times Unix milliseconds, ids numbers where REST has numbers.
 */
import type { OrderSource } from "../../api/order-words.ts";
import type { CandleInterval, Product } from "../../domain/index.ts";
import type { Position } from "../contract.ts";
import type { Deposit, Withdrawal } from "../spot.ts";

export type PriceType = "LAST_PRICE" | "MARK_PRICE";
export type StreamLevel = readonly [price: string, quantity: string];

export interface StreamTicker {
  readonly symbol: string;
  readonly time: number;
  readonly priceChange: string;
  /** A fraction: 0.01 is one percent. */
  readonly priceChangePercent: string;
  readonly averagePrice: string;
  readonly lastPrice: string;
  readonly openPrice: string;
  readonly highPrice: string;
  readonly lowPrice: string;
  /** Traded base asset. */
  readonly volume: string;
  readonly quoteVolume: string;
  readonly openTime: number;
  readonly closeTime: number;
  /** Number of trades. */
  readonly count: number;
  /** Null on spot, like the next one. */
  readonly markPrice: string | null;
  readonly indexPrice: string | null;
}

export interface StreamTrade {
  readonly symbol: string;
  readonly id: string;
  readonly price: string;
  readonly qty: string;
  readonly quoteQty: string;
  readonly time: number;
  /** The taker sold. */
  readonly isBuyerMaker: boolean;
}

export interface StreamKline {
  readonly symbol: string;
  readonly interval: CandleInterval;
  readonly priceType: PriceType;
  readonly openTime: number;
  readonly closeTime: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly quoteVolume: string;
  readonly trades: number;
  readonly takerBuyVolume: string;
  readonly takerBuyQuoteVolume: string;
  /** The time of this state. */
  readonly time: number;
}

export interface StreamBookTicker {
  readonly symbol: string;
  /** "0" without bids. */
  readonly bidPrice: string;
  readonly bidQty: string;
  readonly askPrice: string;
  readonly askQty: string;
  readonly updateId: number;
  readonly time: number;
}

/** A book's best levels: all of them, or the changes; quantity "0" removes a price. */
export interface StreamDepth {
  readonly isSnapshot: boolean;
  readonly symbol: string;
  /** The `lastUpdateId` of the previous event; any other value is a gap. */
  readonly previousUpdateId: number;
  readonly lastUpdateId: number;
  readonly bids: readonly StreamLevel[];
  readonly asks: readonly StreamLevel[];
  readonly time: number;
}

/** An order in a book, or what a command did to it. */
export interface BookOrder {
  readonly orderId: number;
  readonly side: "BUY" | "SELL";
  readonly price: string;
  /** What is open of it. */
  readonly qty: string;
}

/**
 * `AMENDED` has less quantity and keeps its place; with any other change an order is `REMOVED` and
 * `ADDED` again, last at its price. One that is filled whole is `REMOVED` next.
 */
export type BookOrderChange = BookOrder &
  (
    | { readonly change: "ADDED" | "AMENDED" | "REMOVED" }
    | { readonly change: "FILLED"; readonly filledQty: string; readonly tradeId: number }
  );

/** Every order of a book in price-time priority, or what one command changed, in order. */
export type StreamBookOrders = {
  readonly symbol: string;
  /** The `lastUpdateId` of the previous event; any other value is a gap. */
  readonly previousUpdateId: number;
  /** What the order that made the change was answered. */
  readonly lastUpdateId: number;
  readonly time: number;
} & (
  | { readonly isSnapshot: true; readonly orders: readonly BookOrder[] }
  | { readonly isSnapshot: false; readonly changes: readonly BookOrderChange[] }
);

/** An order as it is after a change. */
export interface StreamOrder {
  readonly product: Product;
  readonly symbol: string;
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly side: "BUY" | "SELL";
  /** Null on spot. */
  readonly positionSide: "LONG" | "SHORT" | null;
  readonly type: string;
  readonly timeInForce: string;
  readonly price: string;
  readonly origQty: string;
  readonly executedQty: string;
  /** Quote value of the fills. */
  readonly executedValue: string;
  /** Only fills since someone began to listen to the account. */
  readonly fee: string;
  readonly lastFillPrice: string;
  /** `NEW` is open, also when partly filled; `UNTRIGGERED` is a waiting conditional order. */
  readonly status: "NEW" | "FILLED" | "CANCELED" | "UNTRIGGERED";
  /** Who placed it: `API` is the user. */
  readonly source: OrderSource;
  /** E.g. `CANCELLED_BY_USER`; null if it was not cancelled. */
  readonly cancelReason: string | null;
  /** "0" unless it is a conditional order. */
  readonly triggerPrice: string;
  readonly time: number;
  readonly updateTime: number;
}

/** One side of a match. */
export interface StreamFill {
  readonly product: Product;
  readonly symbol: string;
  /** Trade id. */
  readonly id: number;
  readonly orderId: number;
  readonly side: "BUY" | "SELL";
  /** Null on spot. */
  readonly positionSide: "LONG" | "SHORT" | null;
  readonly qty: string;
  /** Price × quantity. */
  readonly quoteQty: string;
  readonly fee: string;
  readonly feeAsset: string;
  /** Before the fee; null on spot. */
  readonly realizedPnl: string | null;
  readonly maker: boolean;
  readonly time: number;
}

export interface SpotBalance {
  readonly asset: string;
  readonly free: string;
  /** Held by open orders. */
  readonly locked: string;
  readonly total: string;
}

export interface ContractWallet {
  readonly asset: string;
  /** The wallet without unrealised profit. */
  readonly balance: string;
  /** Available for new orders and transfers. */
  readonly availableBalance: string;
}

/** As in REST, without the fields that depend on the mark; `size` "0": it is closed. */
export type StreamPosition = Omit<Position, "unrealizePnl" | "liquidatePrice" | "marginSize">;

/** A message of a channel. */
export type WireMessage = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, string>>;

const rowsOf = ({ d }: WireMessage): readonly WireMessage[] =>
  Array.isArray(d) ? (d as WireMessage[]) : [];

/** Reads the events of a message, in order. */
export type Reader<Event> = (message: WireMessage) => readonly Event[];

export const readTickers: Reader<StreamTicker> = (message) =>
  rowsOf(message).map((row) => ({
    symbol: message.s as string,
    time: message.E as number,
    priceChange: row.p as string,
    priceChangePercent: row.P as string,
    averagePrice: row.w as string,
    lastPrice: row.c as string,
    openPrice: row.o as string,
    highPrice: row.h as string,
    lowPrice: row.l as string,
    volume: row.v as string,
    quoteVolume: row.q as string,
    openTime: row.O as number,
    closeTime: row.C as number,
    count: row.n as number,
    markPrice: (row.m ?? null) as string | null,
    indexPrice: (row.i ?? null) as string | null,
  }));

export const readTrades: Reader<StreamTrade> = (message) =>
  rowsOf(message).map((row) => ({
    symbol: message.s as string,
    id: row.t as string,
    price: row.p as string,
    qty: row.q as string,
    quoteQty: row.v as string,
    time: row.T as number,
    isBuyerMaker: row.m as boolean,
  }));

export const readKlines: Reader<StreamKline> = (message) =>
  rowsOf(message).map((row) => ({
    symbol: row.s as string,
    interval: row.i as CandleInterval,
    priceType: message.p as PriceType,
    openTime: row.t as number,
    closeTime: row.T as number,
    open: row.o as string,
    high: row.h as string,
    low: row.l as string,
    close: row.c as string,
    volume: row.v as string,
    quoteVolume: row.q as string,
    trades: row.n as number,
    takerBuyVolume: row.V as string,
    takerBuyQuoteVolume: row.Q as string,
    time: message.E as number,
  }));

export const readBookTickers: Reader<StreamBookTicker> = (message) => [
  {
    symbol: message.s as string,
    bidPrice: message.b as string,
    bidQty: message.B as string,
    askPrice: message.a as string,
    askQty: message.A as string,
    updateId: message.u as number,
    time: message.E as number,
  },
];

export const readDepths: Reader<StreamDepth> = (message) => [
  {
    isSnapshot: message.e === "depthSnapshot",
    symbol: message.s as string,
    previousUpdateId: message.U as number,
    lastUpdateId: message.u as number,
    bids: message.b as StreamLevel[],
    asks: message.a as StreamLevel[],
    time: message.E as number,
  },
];

/** Whoever joins other readers begins with the whole state, too. */
export function fromSnapshot<Event extends { readonly isSnapshot: boolean }>(
  read: Reader<Event>,
): Reader<Event> {
  let hasBegun = false;
  return (message) => {
    const events = read(message);
    hasBegun ||= events.some(({ isSnapshot }) => isSnapshot);
    return hasBegun ? events : [];
  };
}

type WireOrder = readonly [orderId: string, price: string, qty: string];

export const readBookOrders: Reader<StreamBookOrders> = (message) => {
  const common = {
    symbol: message.s as string,
    previousUpdateId: message.U as number,
    lastUpdateId: message.u as number,
    time: message.E as number,
  };
  if (message.e !== "bookOrdersSnapshot") {
    const changes = (rowsOf(message) as Row[]).map(readBookOrderChange);
    return [{ ...common, isSnapshot: false, changes }];
  }
  const read = (rows: unknown, side: "BUY" | "SELL"): BookOrder[] =>
    (rows as WireOrder[]).map(([id, price, qty]) => ({ orderId: Number(id), side, price, qty }));
  const orders = [...read(message.b, "BUY"), ...read(message.a, "SELL")];
  return [{ ...common, isSnapshot: true, orders }];
};

function readBookOrderChange({ x, i, S, p, q, l, t }: Row): BookOrderChange {
  const order = {
    orderId: Number(i),
    side: S as "BUY" | "SELL",
    price: p as string,
    qty: q as string,
  };
  return x === "FILLED"
    ? { change: x, ...order, filledQty: l as string, tradeId: Number(t) }
    : { change: x as "ADDED" | "AMENDED" | "REMOVED", ...order };
}

const NO_REASON = "UNKNOWN_ORDER_CANCEL_REASON";

/** `positionSide` identifies a contract. */
export const readOrders: Reader<StreamOrder> = (message) =>
  (rowsOf(message) as Row[]).map((row) => ({
    product: row.positionSide === undefined ? "spot" : "contract",
    symbol: row.symbol as string,
    orderId: Number(row.id),
    clientOrderId: row.clientOrderId as string,
    side: row.orderSide as StreamOrder["side"],
    positionSide: (row.positionSide ?? null) as StreamOrder["positionSide"],
    type: row.type as string,
    timeInForce: row.timeInForce as string,
    price: row.price as string,
    origQty: row.size as string,
    executedQty: row.cumFillSize as string,
    executedValue: row.cumFillValue as string,
    fee: row.cumFillFee as string,
    lastFillPrice: row.latestFillPrice as string,
    status: row.status as StreamOrder["status"],
    source: row.orderSource as OrderSource,
    cancelReason: row.cancelReason === NO_REASON ? null : (row.cancelReason as string),
    triggerPrice: row.triggerPrice as string,
    time: Number(row.createdTime),
    updateTime: Number(row.updatedTime),
  }));

export const readFills: Reader<StreamFill> = (message) =>
  (rowsOf(message) as Row[]).map((row) => ({
    product: row.positionSide === undefined ? "spot" : "contract",
    symbol: row.symbol as string,
    id: Number(row.id),
    orderId: Number(row.orderId),
    side: row.orderSide as StreamFill["side"],
    positionSide: (row.positionSide ?? null) as StreamFill["positionSide"],
    qty: row.fillSize as string,
    quoteQty: row.fillValue as string,
    fee: row.fillFee as string,
    feeAsset: (row.coin ?? (row.orderSide === "BUY" ? row.baseCoin : row.quoteCoin)) as string,
    realizedPnl: row.realizePnl ?? null,
    maker: row.direction === "MAKER",
    time: Number(row.createdTime),
  }));

export const readSpotBalances: Reader<SpotBalance> = (message) =>
  (rowsOf(message) as Row[]).map((row) => ({
    asset: row.coin as string,
    free: row.available as string,
    locked: row.frozen as string,
    total: row.equity as string,
  }));

export const readWithdrawals: Reader<Withdrawal> = (message) =>
  rowsOf(message) as unknown as Withdrawal[];

export const readDeposits: Reader<Deposit> = (message) => rowsOf(message) as unknown as Deposit[];

export const readContractWallets: Reader<ContractWallet> = (message) =>
  (rowsOf(message) as Row[]).map((row) => ({
    asset: row.coin as string,
    balance: row.legacyAmount as string,
    availableBalance: row.amount as string,
  }));

/** Fields that are text on the wire and numbers in events. */
const NUMBERS = [
  "id",
  "separatedOpenOrderId",
  "createdMatchSequenceId",
  "updatedMatchSequenceId",
  "createdTime",
  "updatedTime",
] as const;

export const readPositions: Reader<StreamPosition> = (message) =>
  rowsOf(message).map(({ coin, marginMode, autoAppendIsolatedMargin, ...row }) => {
    const numbers = Object.fromEntries(NUMBERS.map((name) => [name, Number(row[name])]));
    return {
      ...row,
      ...numbers,
      asset: coin,
      marginType: marginMode,
      isAutoAppendIsolatedMargin: autoAppendIsolatedMargin,
    } as unknown as StreamPosition;
  });
