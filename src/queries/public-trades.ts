/** The latest matches in a market's book, newest first. */
import type { Side } from "../domain/index.ts";
import type { PublicTrade } from "./history-port.ts";
import type { HistoryQuery } from "./history-query.ts";

const COLUMNS = [
  "trade_id as tradeId",
  "symbol",
  "price",
  "quantity",
  "time_ms as timeMs",
  "taker_side as takerSide",
] as const;

export const publicSpotTrades: HistoryQuery<"public-spot-trades"> = async (db, question) => {
  const rows = await db
    .selectFrom("spot_trades")
    .select([...COLUMNS, "quote_quantity as quoteQuantity"])
    .where("symbol", "=", question.symbol)
    .orderBy("trade_id", "desc")
    .limit(question.limit)
    .execute();
  return rows.map(publicTrade);
};

export const publicContractTrades: HistoryQuery<"public-contract-trades"> = async (
  db,
  question,
) => {
  const rows = await db
    .selectFrom("contract_trades")
    .select([...COLUMNS, "value as quoteQuantity"])
    .where("symbol", "=", question.symbol)
    .orderBy("trade_id", "desc")
    .limit(question.limit)
    .execute();
  return rows.map(publicTrade);
};

function publicTrade({
  takerSide,
  ...trade
}: Omit<PublicTrade, "buyerIsMaker"> & { readonly takerSide: Side }): PublicTrade {
  return { ...trade, buyerIsMaker: takerSide === "SELL" };
}
