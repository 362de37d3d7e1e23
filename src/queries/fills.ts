/**
 * A user's side of matches, newest first; of a match of the account with itself the taker's side
 * comes first.
 */
import type { HistoryQuery } from "./history-query.ts";
import { rangeBounds } from "./ranges.ts";

const SPOT_COLUMNS = [
  "trade_id as tradeId",
  "order_id as orderId",
  "uid",
  "symbol",
  "side",
  "maker",
  "price",
  "quantity",
  "quote_quantity as quoteQuantity",
  "fee",
  "received_asset as feeAsset",
  "time_ms as timeMs",
] as const;

const CONTRACT_COLUMNS = [
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
  const { uid, symbol, orderId } = question;
  const [fromMs, toMs] = rangeBounds(question.time);
  let query = db
    .selectFrom("spot_fills")
    .select(SPOT_COLUMNS)
    .where("uid", "=", uid)
    .where("time_ms", ">=", fromMs)
    .where("time_ms", "<=", toMs);
  if (orderId !== null) query = query.where("order_id", "=", orderId);
  else if (symbol !== null) query = query.where("symbol", "=", symbol);
  const rows = await query
    .orderBy("time_ms", "desc")
    .orderBy("bill_id", "desc")
    .limit(question.limit)
    .offset(question.offset)
    .execute();
  const fills = rows.map((row) => ({ ...row, maker: row.maker === 1 }));
  return ofSymbol(fills, symbol);
};

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
  const fills = rows.map(({ closing, maker, ...row }) => ({
    ...row,
    maker: maker === 1,
    isClosing: closing === 1,
  }));
  return ofSymbol(fills, symbol);
};

/** All fills of an order have one symbol: this drops all rows of a question by order, or none. */
function ofSymbol<Fill extends { readonly symbol: string }>(
  fills: Fill[],
  symbol: string | null,
): Fill[] {
  return symbol === null ? fills : fills.filter((fill) => fill.symbol === symbol);
}
