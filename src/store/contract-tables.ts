/** The tables of the contract side: see `tables.ts`. */
import type {
  AlgoOrderType,
  AlgoStatus,
  EndReason,
  MatchKind,
  OrderOrigin,
  OrderStatus,
  OrderType,
  PositionSide,
  PriceType,
  Side,
  TimeInForce,
  WorkingType,
} from "../domain/index.ts";
import { CANDLE } from "./candle-columns.ts";
import { integer, nullableText, table, text } from "./table.ts";

export type IncomeType =
  | "deposit"
  | "withdraw"
  | "transfer_in"
  | "transfer_out"
  | "margin_move_in"
  | "margin_move_out"
  | "position_open_long"
  | "position_open_short"
  | "position_close_long"
  | "position_close_short"
  | "position_funding"
  | "start_liquidate"
  | "order_fix_margin_amount"
  | "finish_liquidate";

export type TransferReason = "USER_TRANSFER" | "UNKNOWN_TRANSFER_REASON";

export const CONTRACT_TABLES = {
  contract_markets: table({
    columns: {
      symbol: text(),
      base_asset: text(),
      quote_asset: text(),
      margin_asset: text(),
      tick_size: text(),
      step_size: text(),
    },
    key: ["symbol"],
  }),

  ended_contract_orders: table({
    columns: {
      order_id: integer(),
      uid: integer(),
      symbol: text(),
      client_order_id: text(),
      side: text<Side>(),
      position_side: text<PositionSide>(),
      order_type: text<OrderType>(),
      time_in_force: text<TimeInForce>(),
      origin: text<OrderOrigin>(),
      /** 0 unless a conditional order placed it. */
      algo_id: integer(),
      price: text(),
      quantity: text(),
      filled_quantity: text(),
      filled_value: text(),
      avg_price: text(),
      status: text<OrderStatus>(),
      reason: text<EndReason>(),
      created_ms: integer(),
      ended_ms: integer(),
    },
    key: ["order_id"],
    indexes: [
      ["uid", "created_ms", "order_id"],
      ["uid", "symbol", "created_ms", "order_id"],
      ["client_order_id", "uid", "order_id"],
    ],
  }),

  /** One side of a match. */
  contract_fills: table({
    columns: {
      uid: integer(),
      time_ms: integer(),
      fill_id: integer(),
      trade_id: integer(),
      order_id: integer(),
      symbol: text(),
      side: text<Side>(),
      position_side: text<PositionSide>(),
      kind: text<MatchKind>(),
      /** 0 for both sides of a match that no resting order took part in. */
      maker: integer(),
      closing: integer(),
      price: text(),
      quantity: text(),
      value: text(),
      fee: text(),
      fee_asset: text(),
      realized_pnl: text(),
      wallet_after: text(),
    },
    key: ["uid", "time_ms", "fill_id"],
    indexes: [
      ["uid", "symbol", "time_ms", "fill_id"],
      ["uid", "order_id", "time_ms", "fill_id"],
    ],
  }),

  /** Matches in the book. */
  contract_trades: table({
    columns: {
      trade_id: integer(),
      symbol: text(),
      price: text(),
      quantity: text(),
      value: text(),
      taker_side: text<Side>(),
      time_ms: integer(),
    },
    key: ["symbol", "trade_id"],
  }),

  /** As the candles of spot; those of index and mark have neither volume nor trades. */
  contract_candles: table({
    columns: {
      symbol: text(),
      price_type: text<PriceType>(),
      ...CANDLE,
    },
    key: ["symbol", "price_type", "candle_interval", "open_ms"],
  }),

  /** Conditional orders that fired or ended. What is not there is 0 or "0". */
  algo_orders: table({
    columns: {
      algo_id: integer(),
      uid: integer(),
      symbol: text(),
      client_algo_id: text(),
      order_type: text<AlgoOrderType>(),
      side: text<Side>(),
      position_side: text<PositionSide>(),
      time_in_force: text<TimeInForce>(),
      quantity: text(),
      close_position: integer(),
      reduce_only: integer(),
      status: text<AlgoStatus>(),
      parent_order_id: integer(),
      actual_order_id: integer(),
      actual_price: text(),
      trigger_price: text(),
      price: text(),
      tp_trigger_price: text(),
      sl_trigger_price: text(),
      tp_working_type: text<WorkingType>(),
      sl_working_type: text<WorkingType>(),
      working_type: text<WorkingType>(),
      created_ms: integer(),
      updated_ms: integer(),
      triggered_ms: integer(),
    },
    key: ["algo_id"],
    indexes: [
      ["uid", "created_ms", "algo_id"],
      ["uid", "symbol", "created_ms", "algo_id"],
    ],
  }),

  /** Changes of contract wallets: the balances of a user's rows in an asset form a chain. */
  contract_income: table({
    columns: {
      uid: integer(),
      time_ms: integer(),
      income_id: integer(),
      asset: text(),
      symbol: nullableText(),
      income_type: text<IncomeType>(),
      /** Signed. */
      income: text(),
      /** The wallet afterwards. */
      balance: text(),
      fill_fee: text(),
      transfer_reason: text<TransferReason>(),
    },
    key: ["uid", "time_ms", "income_id"],
    indexes: [
      ["uid", "asset", "time_ms", "income_id"],
      ["uid", "symbol", "time_ms", "income_id"],
      ["uid", "income_type", "time_ms", "income_id"],
      ["uid", "asset", "income_type", "time_ms", "income_id"],
      ["uid", "symbol", "income_type", "time_ms", "income_id"],
    ],
  }),

  funding_rates: table({
    columns: {
      symbol: text(),
      slot_ms: integer(),
      rate: text(),
      index_price: text(),
      mark_price: text(),
    },
    key: ["symbol", "slot_ms"],
  }),
};
