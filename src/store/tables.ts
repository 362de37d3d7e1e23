/**
 * The tables of the read side, as Kysely sees them. Amounts are decimal text, already scaled by the
 * asset or market in force when they happened; times are milliseconds. Ids grow with time, so an
 * index that ends in `(time, id)` lists rows in the order of their ids.
 */
import type {
  CandleInterval,
  EndReason,
  OrderStatus,
  OrderType,
  Side,
  TimeInForce,
  Wallet,
} from "../domain/index.ts";
import type { FundsCommandType } from "../protocol/index.ts";
import type { AffiliateTables } from "./affiliate-tables.ts";
import type { ContractTables } from "./contract-tables.ts";

/**
 * One row. The ids are the last ones given out, so that a projector continues where another
 * stopped.
 */
export interface ProgressTable {
  /** Always 1. */
  id: number;
  schema_version: number;
  applied_sequence: number;
  applied_timestamp_ms: number;
  last_bill_id: number;
  last_movement_id: number;
  last_audit_id: number;
  last_fill_id: number;
  last_income_id: number;
  last_commission_id: number;
  last_settlement_id: number;
}

export interface AssetsTable {
  asset: string;
  scale: number;
}

export interface SpotMarketsTable {
  symbol: string;
  base_asset: string;
  quote_asset: string;
  tick_size: string;
  step_size: string;
}

export interface EndedSpotOrdersTable {
  order_id: number;
  uid: number;
  symbol: string;
  client_order_id: string;
  side: Side;
  order_type: OrderType;
  time_in_force: TimeInForce;
  price: string;
  quantity: string;
  quote_amount: string;
  filled_quantity: string;
  filled_quote: string;
  status: OrderStatus;
  reason: EndReason;
  created_ms: number;
  ended_ms: number;
}

/**
 * One side of a match, which is also two bills of that user's spot wallet: `bill_id` is what came
 * in, `bill_id + 1` what went out. The `…_after` columns are the equities of both assets
 * afterwards.
 */
export interface SpotFillsTable {
  bill_id: number;
  trade_id: number;
  order_id: number;
  uid: number;
  symbol: string;
  side: Side;
  maker: number;
  price: string;
  quantity: string;
  quote_quantity: string;
  /** Taken from the asset received. */
  fee: string;
  received_asset: string;
  received_after: string;
  paid_asset: string;
  paid_after: string;
  time_ms: number;
}

export interface SpotTradesTable {
  trade_id: number;
  symbol: string;
  price: string;
  quantity: string;
  quote_quantity: string;
  taker_side: Side;
  time_ms: number;
}

/**
 * Every interval is kept: it costs the writer little and makes every read one range of one index.
 */
export interface SpotCandlesTable {
  symbol: string;
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

/** Bills that are not matches: funds that entered or left the spot wallet, and commissions. */
export interface FundsBillsTable {
  bill_id: number;
  uid: number;
  asset: string;
  bill_type: "deposit" | "withdraw" | "transfer_in" | "transfer_out" | "rr_agent_reward";
  /** Signed. */
  delta: string;
  after: string;
  time_ms: number;
}

export interface TransfersTable {
  movement_id: number;
  uid: number;
  request_id: string;
  asset: string;
  amount: string;
  from_wallet: Wallet;
  to_wallet: Wallet;
  time_ms: number;
}

/**
 * Deposits and withdrawals. The ordinals number a user's rows, and the user's rows of one asset,
 * from 1, so that any page and any total is two look-ups, however many rows there are.
 */
export interface FundingMovementsTable {
  movement_id: number;
  uid: number;
  uid_ordinal: number;
  asset_ordinal: number;
  request_id: string;
  kind: "deposit" | "withdrawal";
  wallet: Wallet;
  asset: string;
  amount: string;
  /** What the wallet holds afterwards, frozen part included. */
  after: string;
  time_ms: number;
}

/**
 * Everything that moved funds, by the command that asked for it; `uid` is 0 for the insurance fund.
 */
export interface OperatorMovementsTable {
  movement_id: number;
  command: FundsCommandType;
  uid: number;
  request_id: string;
  asset: string;
  amount: string;
  from_wallet: Wallet | null;
  to_wallet: Wallet | null;
  time_ms: number;
}

export interface AuditTable {
  audit_id: number;
  sequence: number;
  time_ms: number;
  actor: string;
  action: string;
  subject: string;
  details: string;
}

export interface HistoryTables extends AffiliateTables, ContractTables {
  progress: ProgressTable;
  assets: AssetsTable;
  spot_markets: SpotMarketsTable;
  ended_spot_orders: EndedSpotOrdersTable;
  spot_fills: SpotFillsTable;
  spot_trades: SpotTradesTable;
  spot_candles: SpotCandlesTable;
  funds_bills: FundsBillsTable;
  transfers: TransfersTable;
  funding_movements: FundingMovementsTable;
  operator_movements: OperatorMovementsTable;
  audit: AuditTable;
}

export type TableName = keyof HistoryTables;
