/**
 * A user's side of matches, newest first; of a match of the account with itself the taker's side
 * comes first.
 */
import type { ContractFill, SpotFill } from "./history-port.ts";
import type { HistoryQuery } from "./history-query.ts";
import { rangeBounds } from "./ranges.ts";
import { newestSides, type SpotSide, sidedMarkets, sidesOfOrder } from "./spot-sides.ts";

export const CONTRACT_COLUMNS = [
  "trade_id as tradeId",
  "order_id as orderId",
  "uid",
  "symbol",
  "side",
  "position_side as positionSide",
  "kind",
  "maker",
  "closing",
  "price",
  "quantity",
  "value",
  "fee",
  "fee_asset as feeAsset",
  "realized_pnl as realizedPnl",
  "time_ms as timeMs",
] as const;

export const spotFills: HistoryQuery<"spot-fills"> = async (db, question) => {
  const { uid, symbol, orderId, offset, limit } = question;
  const bounds = rangeBounds(question.time);
  if (orderId !== null) {
    // All of these or none: an order has one user and one symbol.
    const sides = await sidesOfOrder(db, orderId, bounds, limit, offset);
    const known = sides.filter((side) => side.uid === uid);
    return ofSymbol(known.map(spotFill), symbol);
  }
  const markets = await sidedMarkets(db, uid, symbol);
  return (await newestSides(db, uid, markets, bounds, offset, limit)).map(spotFill);
};

export function spotFill(side: SpotSide): SpotFill {
  return {
    tradeId: side.tradeId,
    orderId: side.orderId,
    uid: side.uid,
    symbol: side.symbol,
    side: side.side,
    maker: side.maker,
    price: side.price,
    quantity: side.quantity,
    quoteQuantity: side.quoteQuantity,
    fee: side.fee,
    feeAsset: side.receivedAsset,
    timeMs: side.timeMs,
  };
}

export const contractFills: HistoryQuery<"contract-fills"> = async (db, question) => {
  const { uid, symbol, orderId } = question;
  const [fromMs, toMs] = rangeBounds(question.time);
  let query = db
    .selectFrom("contract_fills")
    .select(CONTRACT_COLUMNS)
    .where("uid", "=", uid)
    .where("time_ms", ">=", fromMs)
    .where("time_ms", "<=", toMs);
  if (orderId !== null) query = query.where("order_id", "=", orderId);
  else if (symbol !== null) query = query.where("symbol", "=", symbol);
  const rows = await query
    .orderBy("time_ms", "desc")
    .orderBy("fill_id", "desc")
    .limit(question.limit)
    .execute();
  return ofSymbol(rows.map(contractFill), symbol);
};

type ContractRow = Omit<ContractFill, "maker" | "isClosing"> & {
  readonly closing: number;
  readonly maker: number;
};

export function contractFill({ closing, maker, ...row }: ContractRow): ContractFill {
  return { ...row, maker: maker === 1, isClosing: closing === 1 };
}

/** All fills of an order have one symbol: this drops all rows of a question by order, or none. */
function ofSymbol<Fill extends { readonly symbol: string }>(
  fills: Fill[],
  symbol: string | null,
): Fill[] {
  return symbol === null ? fills : fills.filter((fill) => fill.symbol === symbol);
}
