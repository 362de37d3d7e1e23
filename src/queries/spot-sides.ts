/** A user's sides of spot matches. A match has an index for each of its sides. */
import type { Side } from "../domain/index.ts";
import type { Row } from "../store/index.ts";
import type { SpotFill } from "./history-port.ts";
import type { Db } from "./history-query.ts";
import { distinct, newestOf, repeated, type Source } from "./newest-of.ts";

/** One side of a match. */
export interface SpotSide extends Omit<SpotFill, "feeAsset"> {
  readonly billId: number;
  /** The fee is paid in it too. */
  readonly receivedAsset: string;
  /** The equity of the asset afterwards. */
  readonly receivedAfter: string;
  readonly paidAsset: string;
  readonly paidAfter: string;
}

type Market = Pick<Row<"spot_markets">, "symbol" | "base_asset" | "quote_asset">;

/** A market in which a user has been on this side. */
export interface SidedMarket {
  readonly market: Market;
  readonly side: Side;
}

const SIDES: readonly Side[] = ["BUY", "SELL"];
const COLUMNS = {
  BUY: { uid: "buyer_uid", orderId: "buyer_order_id" },
  SELL: { uid: "seller_uid", orderId: "seller_order_id" },
} as const;
const SIDE_COLUMNS = {
  BUY: [
    "buyer_uid as uid",
    "buyer_order_id as order_id",
    "buyer_fee as fee",
    "buyer_base_after as base_after",
    "buyer_quote_after as quote_after",
  ],
  SELL: [
    "seller_uid as uid",
    "seller_order_id as order_id",
    "seller_fee as fee",
    "seller_base_after as base_after",
    "seller_quote_after as quote_after",
  ],
} as const;
const TRADE_COLUMNS = [
  "trade_id",
  "symbol",
  "time_ms",
  "bill_id",
  "taker_side",
  "price",
  "quantity",
  "quote_quantity",
] as const;
/** After the two of the buyer. */
const SELLER_BILLS_FROM = 2;

type Bounds = readonly [fromMs: number, toMs: number];

/** The markets of a user, or one of them. */
export async function sidedMarkets(
  db: Db,
  uid: number,
  symbol: string | null,
): Promise<SidedMarket[]> {
  const found: SidedMarket[] = [];
  const marketOf = markets(db);
  for (const side of SIDES) {
    const symbols = symbol === null ? await symbolsOf(db, uid, side) : [symbol];
    for (const each of symbols) {
      const market = await marketOf(each);
      if (market !== undefined) found.push({ market, side });
    }
  }
  return found;
}

function symbolsOf(db: Db, uid: number, side: Side): Promise<string[]> {
  const next = repeated(
    db,
    db
      .selectFrom("spot_trades")
      .select("symbol")
      .where(COLUMNS[side].uid, "=", uid)
      .where("symbol", ">", "")
      .orderBy("symbol")
      .limit(1),
  );
  return distinct(async (after) => (await next(uid, after, 1))[0]?.symbol);
}

/** Looks each market up once. */
function markets(db: Db): (symbol: string) => Promise<Market | undefined> {
  const known = new Map<string, Market | undefined>();
  const find = repeated(
    db,
    db
      .selectFrom("spot_markets")
      .select(["symbol", "base_asset", "quote_asset"])
      .where("symbol", "=", "")
      .limit(1),
  );
  return async (symbol) => {
    if (!known.has(symbol)) known.set(symbol, (await find(symbol, 1))[0]);
    return known.get(symbol);
  };
}

/** The user's newest sides in these markets. */
export function newestSides(
  db: Db,
  uid: number,
  asked: readonly SidedMarket[],
  bounds: Bounds,
  offset: number,
  limit: number,
): Promise<SpotSide[]> {
  const sourcesOf = {
    BUY: sourcesOfSide(db, uid, "BUY", bounds),
    SELL: sourcesOfSide(db, uid, "SELL", bounds),
  };
  const sources = asked.map(({ market, side }) => sourcesOf[side](market));
  return newestOf(sources, ({ tradeId, side }) => sideId(tradeId, side), offset, limit);
}

/** Of the sides of all matches, in the order of their bills. */
function sideId(tradeId: number, side: Side): number {
  return 2 * tradeId + (side === "SELL" ? 1 : 0);
}

function sourcesOfSide(db: Db, uid: number, side: Side, [fromMs, toMs]: Bounds) {
  const trades = db
    .selectFrom("spot_trades")
    .where(COLUMNS[side].uid, "=", uid)
    .where("symbol", "=", "")
    .where("time_ms", ">=", fromMs)
    .where("time_ms", "<=", toMs)
    .orderBy("time_ms", "desc")
    .orderBy("trade_id", "desc")
    .limit(1)
    .offset(0);
  const ids = repeated(db, trades.select("trade_id"));
  const rows = repeated(db, trades.select(TRADE_COLUMNS).select(SIDE_COLUMNS[side]));
  return (market: Market): Source<SpotSide> => ({
    ids: async (limit, offset) => {
      const found = await ids(uid, market.symbol, fromMs, toMs, limit, offset);
      return found.map(({ trade_id }) => sideId(trade_id, side));
    },
    rows: async (limit, offset) => {
      const found = await rows(uid, market.symbol, fromMs, toMs, limit, offset);
      return found.map((row) => sideOf(row, { market, side }));
    },
  });
}

/** Where a match stands in the order of time. */
export type Place = readonly [timeMs: number, id: number];

/** A user's sides in one market, perhaps of one order. */
export interface OwnSides extends SidedMarket {
  readonly uid: number;
  readonly orderId: number | null;
}

/** From a place on and up to a time, oldest first. */
export async function sidesFrom(
  db: Db,
  { uid, market, side, orderId }: OwnSides,
  [timeMs, tradeId]: Place,
  toMs: number,
  limit: number,
): Promise<SpotSide[]> {
  const { uid: owner, orderId: order } = COLUMNS[side];
  const trades = db.selectFrom("spot_trades");
  const rows = await (orderId === null
    ? trades.where(owner, "=", uid).where("symbol", "=", market.symbol)
    : trades.where(order, "=", orderId)
  )
    .where("time_ms", "<=", toMs)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple("time_ms", "trade_id"), ">=", tuple(timeMs, tradeId)),
    )
    .orderBy("time_ms")
    .orderBy("trade_id")
    .select(TRADE_COLUMNS)
    .select(SIDE_COLUMNS[side])
    .limit(limit)
    .execute();
  // All of an order's or none: it has one user and one market.
  const own = rows.filter((row) => row.uid === uid && row.symbol === market.symbol);
  return own.map((row) => sideOf(row, { market, side }));
}

/** Newest first. An order has one user, one market and one side. */
export async function sidesOfOrder(
  db: Db,
  orderId: number,
  [fromMs, toMs]: Bounds,
  limit: number,
  offset: number,
): Promise<SpotSide[]> {
  for (const side of SIDES) {
    const rows = await db
      .selectFrom("spot_trades")
      .select(TRADE_COLUMNS)
      .select(SIDE_COLUMNS[side])
      .where(COLUMNS[side].orderId, "=", orderId)
      .where("time_ms", ">=", fromMs)
      .where("time_ms", "<=", toMs)
      .orderBy("time_ms", "desc")
      .orderBy("trade_id", "desc")
      .limit(limit)
      .offset(offset)
      .execute();
    const [first] = rows;
    if (first === undefined) continue;
    const market = await markets(db)(first.symbol);
    return market === undefined ? [] : rows.map((row) => sideOf(row, { market, side }));
  }
  return [];
}

type TradeRow = Pick<Row<"spot_trades">, (typeof TRADE_COLUMNS)[number]> & {
  readonly uid: number;
  readonly order_id: number;
  readonly fee: string;
  readonly base_after: string;
  readonly quote_after: string;
};

function sideOf(row: TradeRow, { market, side }: SidedMarket): SpotSide {
  const buys = side === "BUY";
  return {
    billId: buys ? row.bill_id : row.bill_id + SELLER_BILLS_FROM,
    tradeId: row.trade_id,
    orderId: row.order_id,
    uid: row.uid,
    symbol: row.symbol,
    side,
    maker: row.taker_side !== side,
    price: row.price,
    quantity: row.quantity,
    quoteQuantity: row.quote_quantity,
    fee: row.fee,
    receivedAsset: buys ? market.base_asset : market.quote_asset,
    receivedAfter: buys ? row.base_after : row.quote_after,
    paidAsset: buys ? market.quote_asset : market.base_asset,
    paidAfter: buys ? row.quote_after : row.base_after,
    timeMs: row.time_ms,
  };
}

/** What a side's order was filled at, from one end of an index. */
export async function fillsOfOrder(
  db: Db,
  uid: number,
  orderId: number,
  direction: "asc" | "desc",
  limit: number,
): Promise<{ readonly price: string; readonly quantity: string; readonly fee: string }[]> {
  for (const side of SIDES) {
    const buys = side === "BUY";
    const rows = await db
      .selectFrom("spot_trades")
      .select(["price", "quantity"])
      .select(buys ? "buyer_fee as fee" : "seller_fee as fee")
      .select(buys ? "buyer_uid as uid" : "seller_uid as uid")
      .where(COLUMNS[side].orderId, "=", orderId)
      .orderBy("time_ms", direction)
      .orderBy("trade_id", direction)
      .limit(limit)
      .execute();
    if (rows[0] !== undefined) return rows[0].uid === uid ? rows : [];
  }
  return [];
}
