/**
 * The tables of the read side, as Kysely sees them. Amounts are decimal text, already scaled by the
 * asset or market in force when they happened; times are milliseconds. Ids grow with time, so an
 * index that ends in `(time, id)` lists rows in the order of their ids.
 */
import { AFFILIATE_TABLES } from "./affiliate-tables.ts";
import { CONTRACT_TABLES } from "./contract-tables.ts";
import { DEPOSIT_TABLES } from "./deposit-tables.ts";
import { FUNDS_TABLES } from "./funds-tables.ts";
import { SPOT_TABLES } from "./spot-tables.ts";
import { integer, type RowOf, table, text } from "./table.ts";
import { WEBHOOK_TABLES } from "./webhook-tables.ts";
import { WITHDRAWAL_TABLES } from "./withdrawal-tables.ts";

export const TABLES = {
  /**
   * One row. The ids are the last ones given out, so that a projector continues where another
   * stopped.
   */
  progress: table({
    columns: {
      /** Always 1. */
      id: integer(),
      schema_version: integer(),
      applied_sequence: integer(),
      applied_timestamp_ms: integer(),
      last_bill_id: integer(),
      last_movement_id: integer(),
      last_audit_id: integer(),
      last_fill_id: integer(),
      last_income_id: integer(),
      last_commission_id: integer(),
      last_settlement_id: integer(),
    },
    key: ["id"],
  }),

  assets: table({
    columns: {
      asset: text(),
      scale: integer(),
    },
    key: ["asset"],
  }),

  ...SPOT_TABLES,
  ...FUNDS_TABLES,
  ...WITHDRAWAL_TABLES,
  ...DEPOSIT_TABLES,
  ...WEBHOOK_TABLES,

  audit: table({
    columns: {
      audit_id: integer(),
      sequence: integer(),
      time_ms: integer(),
      actor: text(),
      action: text(),
      subject: text(),
      details: text(),
    },
    key: ["audit_id"],
  }),

  ...CONTRACT_TABLES,
  ...AFFILIATE_TABLES,
};

/** All tables by name, each as its rows. */
export type HistoryTables = { [Name in keyof typeof TABLES]: RowOf<(typeof TABLES)[Name]> };

export type TableName = keyof HistoryTables;

export type Row<Name extends TableName> = HistoryTables[Name];
