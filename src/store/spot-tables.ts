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
      ["uid", "created_ms", "order_id"],
      ["uid", "symbol", "created_ms", "order_id"],
      ["uid", "client_order_id", "order_id"],
    ],
  }),

  /**
   * One side of a match, which is also two bills of that user's spot wallet: `bill_id` is what came
   * in, `bill_id + 1` what went out. The `…_after` columns are the equities of both assets
   * afterwards.
   */
  spot_fills: table({
    columns: {
      uid: integer(),
      time_ms: integer(),
      bill_id: integer(),
      trade_id: integer(),
      order_id: integer(),
      symbol: text(),
      side: text<Side>(),
      maker: integer(),
      price: text(),
      quantity: text(),
      quote_quantity: text(),
      /** Taken from the asset received. */
      fee: text(),
      received_asset: text(),
      received_after: text(),
      paid_asset: text(),
      paid_after: text(),
    },
    key: ["uid", "time_ms", "bill_id"],
    indexes: [
      ["uid", "symbol", "time_ms", "bill_id"],
      ["uid", "order_id", "time_ms", "bill_id"],
      ["uid", "received_asset", "time_ms", "bill_id"],
      ["uid", "paid_asset", "time_ms", "bill_id"],
    ],
  }),

  spot_trades: table({
    columns: {
      trade_id: integer(),
      symbol: text(),
      price: text(),
      quantity: text(),
      quote_quantity: text(),
      taker_side: text<Side>(),
      time_ms: integer(),
    },
    key: ["symbol", "trade_id"],
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
