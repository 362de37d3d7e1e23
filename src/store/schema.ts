/**
 * Creates the tables and their indexes. Read models are never migrated: a change of this file
 * raises `SCHEMA_VERSION`, which names the file, and a new file is filled from the journal.
 */
import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import { AFFILIATE_TABLES } from "./affiliate-schema.ts";
import { CONTRACT_TABLES } from "./contract-schema.ts";
import type { TableShape } from "./table-shape.ts";
import type { HistoryTables, TableName } from "./tables.ts";

export const SCHEMA_VERSION = 5;

/**
 * The primary key of a table that belongs to users begins with the user, so that one user's rows
 * lie together. An index is named by its columns; each stands for one combination of filters of a
 * question.
 */
const TABLES: Readonly<Record<TableName, TableShape>> = {
  progress: {
    key: ["id"],
    numbers: [
      "id",
      "schema_version",
      "applied_sequence",
      "applied_timestamp_ms",
      "last_bill_id",
      "last_movement_id",
      "last_audit_id",
      "last_fill_id",
      "last_income_id",
      "last_commission_id",
      "last_settlement_id",
    ],
    texts: [],
  },
  assets: { key: ["asset"], numbers: ["scale"], texts: ["asset"] },
  spot_markets: {
    key: ["symbol"],
    numbers: [],
    texts: ["symbol", "base_asset", "quote_asset", "tick_size", "step_size"],
  },
  ended_spot_orders: {
    key: ["order_id"],
    numbers: ["order_id", "uid", "created_ms", "ended_ms"],
    texts: [
      "symbol",
      "client_order_id",
      "side",
      "order_type",
      "time_in_force",
      "price",
      "quantity",
      "quote_amount",
      "filled_quantity",
      "filled_quote",
      "status",
      "reason",
    ],
    indexes: [
      ["uid", "created_ms", "order_id"],
      ["uid", "symbol", "created_ms", "order_id"],
      ["uid", "client_order_id", "order_id"],
    ],
  },
  spot_fills: {
    key: ["uid", "time_ms", "bill_id"],
    numbers: ["uid", "time_ms", "bill_id", "trade_id", "order_id", "maker"],
    texts: [
      "symbol",
      "side",
      "price",
      "quantity",
      "quote_quantity",
      "fee",
      "received_asset",
      "received_after",
      "paid_asset",
      "paid_after",
    ],
    indexes: [
      ["uid", "symbol", "time_ms", "bill_id"],
      ["uid", "order_id", "time_ms", "bill_id"],
      ["uid", "received_asset", "time_ms", "bill_id"],
      ["uid", "paid_asset", "time_ms", "bill_id"],
    ],
  },
  spot_trades: {
    key: ["symbol", "trade_id"],
    numbers: ["trade_id", "time_ms"],
    texts: ["symbol", "price", "quantity", "quote_quantity", "taker_side"],
  },
  spot_candles: {
    key: ["symbol", "candle_interval", "open_ms"],
    numbers: ["open_ms", "trades"],
    texts: [
      "symbol",
      "candle_interval",
      "open",
      "high",
      "low",
      "close",
      "base_volume",
      "quote_volume",
      "taker_base_volume",
      "taker_quote_volume",
    ],
  },
  funds_bills: {
    key: ["uid", "time_ms", "bill_id"],
    numbers: ["uid", "time_ms", "bill_id"],
    texts: ["asset", "bill_type", "delta", "after"],
    indexes: [
      ["uid", "asset", "time_ms", "bill_id"],
      ["uid", "bill_type", "time_ms", "bill_id"],
      ["uid", "asset", "bill_type", "time_ms", "bill_id"],
    ],
  },
  transfers: {
    key: ["uid", "time_ms", "movement_id"],
    numbers: ["uid", "time_ms", "movement_id"],
    texts: ["request_id", "asset", "amount", "from_wallet", "to_wallet"],
    indexes: [
      ["uid", "asset", "time_ms", "movement_id"],
      ["uid", "from_wallet", "time_ms", "movement_id"],
      ["uid", "asset", "from_wallet", "time_ms", "movement_id"],
    ],
  },
  funding_movements: {
    key: ["uid", "uid_ordinal"],
    numbers: ["uid", "uid_ordinal", "asset_ordinal", "movement_id", "time_ms"],
    texts: ["request_id", "kind", "wallet", "asset", "amount", "after"],
    indexes: [
      ["uid", "asset", "asset_ordinal"],
      ["uid", "time_ms", "uid_ordinal"],
      ["uid", "asset", "time_ms", "asset_ordinal"],
    ],
  },
  operator_movements: {
    key: ["command", "uid", "movement_id"],
    numbers: ["uid", "movement_id", "time_ms"],
    texts: ["command", "request_id", "asset", "amount"],
    nullableTexts: ["from_wallet", "to_wallet"],
    indexes: [["command", "uid", "asset", "movement_id"]],
  },
  audit: {
    key: ["audit_id"],
    numbers: ["audit_id", "sequence", "time_ms"],
    texts: ["actor", "action", "subject", "details"],
  },
  ...CONTRACT_TABLES,
  ...AFFILIATE_TABLES,
};

/** Creates everything and the progress row in one transaction: a file has all of it or none. */
export async function createHistorySchema(db: Kysely<HistoryTables>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const [name, shape] of Object.entries(TABLES)) {
      await createTable(transaction, name, shape);
    }
    await describeIndexes(transaction);
    await transaction
      .insertInto("progress")
      .values({
        id: 1,
        schema_version: SCHEMA_VERSION,
        applied_sequence: 0,
        applied_timestamp_ms: 0,
        last_bill_id: 0,
        last_movement_id: 0,
        last_audit_id: 0,
        last_fill_id: 0,
        last_income_id: 0,
        last_commission_id: 0,
        last_settlement_id: 0,
      })
      .execute();
  });
}

async function createTable(
  db: Kysely<HistoryTables>,
  name: string,
  shape: TableShape,
): Promise<void> {
  let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
  for (const column of shape.numbers) table = table.addColumn(column, "bigint", notNull);
  for (const column of shape.texts) table = table.addColumn(column, "text", notNull);
  for (const column of shape.nullableTexts ?? []) table = table.addColumn(column, "text");
  table = table.addPrimaryKeyConstraint(`${name}_key`, [...shape.key]);
  await clusteredByKey(table).execute();
  for (const columns of shape.indexes ?? []) {
    const index = db.schema.createIndex(indexName(name, columns)).on(name);
    await index.columns([...columns]).execute();
  }
}

function indexName(table: string, columns: readonly string[]): string {
  return `${table}_by_${columns.join("_")}`;
}

function notNull(column: { notNull(): unknown }): never {
  return column.notNull() as never;
}

/** SQLite only: the table is its primary key's tree, which saves a tree and a look-up per table. */
function clusteredByKey(table: CreateTableBuilder<string, string>) {
  return table.modifyEnd(sql`without rowid`);
}

/**
 * SQLite only: tells its planner, which never looks at the rows, that every further column of an
 * index narrows a search by a hundred. Without this it may take an index that leaves a condition to
 * be checked row by row. The statistics are of the form that `analyze` writes:
 * sqlite.org/fileformat2.html, 2.6.4.
 */
async function describeIndexes(db: Kysely<HistoryTables>): Promise<void> {
  await sql`analyze`.execute(db);
  for (const [name, shape] of Object.entries(TABLES)) {
    await describeIndex(db, name, name, shape.key);
    for (const columns of shape.indexes ?? []) {
      await describeIndex(db, name, indexName(name, columns), columns);
    }
  }
}

const ASSUMED_ROWS = 10 ** 12;
const NARROWED_BY = 100;

async function describeIndex(
  db: Kysely<HistoryTables>,
  table: string,
  index: string,
  columns: readonly string[],
): Promise<void> {
  const rowsPerPrefix = columns.map((_, i) =>
    i === columns.length - 1 ? 1 : ASSUMED_ROWS / NARROWED_BY ** (i + 1),
  );
  const statistics = [ASSUMED_ROWS, ...rowsPerPrefix].join(" ");
  await sql`insert into sqlite_stat1 values (${table}, ${index}, ${statistics})`.execute(db);
}
