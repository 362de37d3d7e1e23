/** The tables of the contract side: see `tables.ts`. */
import type {
  AlgoOrderType,
  AlgoStatus,
  CandleInterval,
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

export interface ContractMarketsTable {
  symbol: string;
  base_asset: string;
  quote_asset: string;
  margin_asset: string;
  tick_size: string;
  step_size: string;
}

export interface EndedContractOrdersTable {
  order_id: number;
  uid: number;
  symbol: string;
  client_order_id: string;
  side: Side;
  position_side: PositionSide;
  order_type: OrderType;
  time_in_force: TimeInForce;
  origin: OrderOrigin;
  /** 0 unless a conditional order placed it. */
  algo_id: number;
  price: string;
  quantity: string;
  filled_quantity: string;
  filled_value: string;
  avg_price: string;
  status: OrderStatus;
  reason: EndReason;
  created_ms: number;
  ended_ms: number;
}

/** One side of a match. */
export interface ContractFillsTable {
  fill_id: number;
  trade_id: number;
  order_id: number;
  uid: number;
  symbol: string;
  side: Side;
  position_side: PositionSide;
  kind: MatchKind;
  /** 0 for both sides of a match that no resting order took part in. */
  maker: number;
  closing: number;
  price: string;
  quantity: string;
  value: string;
  fee: string;
  fee_asset: string;
  realized_pnl: string;
  wallet_after: string;
  time_ms: number;
}

/** Matches in the book. */
export interface ContractTradesTable {
  trade_id: number;
  symbol: string;
  price: string;
  quantity: string;
  value: string;
  taker_side: Side;
  time_ms: number;
}

/** As the candles of spot; those of index and mark have neither volume nor trades. */
export interface ContractCandlesTable {
  symbol: string;
  price_type: PriceType;
  candle_interval: CandleInterval;
  open_ms: number;
  open: string;
  high: string;
  low: string;
  close: string;
  base_volume: string;
  quote_volume: string;
  trades: number;
  taker_base_volume: string;
  taker_quote_volume: string;
}

/** Conditional orders that fired or ended. What is not there is 0 or "0". */
export interface AlgoOrdersTable {
  algo_id: number;
  uid: number;
  symbol: string;
  client_algo_id: string;
  order_type: AlgoOrderType;
  side: Side;
  position_side: PositionSide;
  time_in_force: TimeInForce;
  quantity: string;
  close_position: number;
  reduce_only: number;
  status: AlgoStatus;
  parent_order_id: number;
  actual_order_id: number;
  actual_price: string;
  trigger_price: string;
  price: string;
  tp_trigger_price: string;
  sl_trigger_price: string;
  tp_working_type: WorkingType;
  sl_working_type: WorkingType;
  working_type: WorkingType;
  created_ms: number;
  updated_ms: number;
  triggered_ms: number;
}

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

/** Changes of contract wallets: the balances of a user's rows in an asset form a chain. */
export interface ContractIncomeTable {
  income_id: number;
  uid: number;
  asset: string;
  symbol: string | null;
  income_type: IncomeType;
  /** Signed. */
  income: string;
  /** The wallet afterwards. */
  balance: string;
  fill_fee: string;
  transfer_reason: TransferReason;
  time_ms: number;
}

export interface FundingRatesTable {
  symbol: string;
  slot_ms: number;
  rate: string;
  index_price: string;
  mark_price: string;
}

export interface ContractTables {
  contract_markets: ContractMarketsTable;
  ended_contract_orders: EndedContractOrdersTable;
  contract_fills: ContractFillsTable;
  contract_trades: ContractTradesTable;
  contract_candles: ContractCandlesTable;
  algo_orders: AlgoOrdersTable;
  contract_income: ContractIncomeTable;
  funding_rates: FundingRatesTable;
}
