/** The tables of the spot side: see `tables.ts`. */
import type { EndReason, OrderStatus, OrderType, Side, TimeInForce } from "../domain/index.ts";
import { CANDLE } from "./candle-columns.ts";
import { integer, table, text } from "./table.ts";

export const SPOT_TABLES = {
  spot_markets: table({
    columns: {
      symbol: text(),
      base_asset: text(),
      quote_asset: text(),
      tick_size: text(),
      step_size: text(),
    },
    key: ["symbol"],
  }),

  ended_spot_orders: table({
    columns: {
      order_id: integer(),
      uid: integer(),
      symbol: text(),
      client_order_id: text(),
      side: text<Side>(),
      order_type: text<OrderType>(),
      time_in_force: text<TimeInForce>(),
      price: text(),
      quantity: text(),
      quote_amount: text(),
      filled_quantity: text(),
      filled_quote: text(),
      status: text<OrderStatus>(),
      reason: text<EndReason>(),
      created_ms: integer(),
      ended_ms: integer(),
    },
    key: ["order_id"],
    indexes: [
      ["uid", "symbol", "created_ms", "order_id"],
      ["client_order_id", "uid", "order_id"],
    ],
  }),

  /**
   * A match: a row of the public tape, a fill of each side, and two bills of each side's spot
   * wallet. The buyer's bills are `bill_id` for what came in and `bill_id + 1` for what went out;
   * the seller's are the next two. A fee is taken from the asset received. The `…_after` columns
   * are the equities of a side afterwards.
   */
  spot_trades: table({
    columns: {
      symbol: text(),
      trade_id: integer(),
      time_ms: integer(),
      bill_id: integer(),
      taker_side: text<Side>(),
      price: text(),
      quantity: text(),
      quote_quantity: text(),
      buyer_uid: integer(),
      buyer_order_id: integer(),
      buyer_fee: text(),
      buyer_base_after: text(),
      buyer_quote_after: text(),
      seller_uid: integer(),
      seller_order_id: integer(),
      seller_fee: text(),
      seller_base_after: text(),
      seller_quote_after: text(),
    },
    key: ["symbol", "trade_id"],
    indexes: [
      ["buyer_uid", "symbol", "time_ms", "trade_id"],
      ["seller_uid", "symbol", "time_ms", "trade_id"],
      ["buyer_order_id", "time_ms", "trade_id"],
      ["seller_order_id", "time_ms", "trade_id"],
    ],
  }),

  /**
   * Every interval is kept: it costs the writer little and makes every read one range of one index.
   */
  spot_candles: table({
    columns: {
      symbol: text(),
      ...CANDLE,
    },
    key: ["symbol", "candle_interval", "open_ms"],
  }),
};
