/** The read side's file: its tables, how it is opened, written and replaced. */
export type { IncomeType, TransferReason } from "./contract-tables.ts";
export * from "./decimal-text.ts";
export * from "./history-file.ts";
export * from "./row-writer.ts";
export * from "./schema.ts";
export * from "./sqlite-database.ts";
export type { HistoryTables, Row, TableName } from "./tables.ts";
