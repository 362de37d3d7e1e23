/**
 * Statements of affiliates: their canonical text, and how anyone checks one. It runs in a browser;
 * the hash function is handed in.
 */
export { CoinTally, type MovedUnits } from "./coin-tally.ts";
export { parseStatement } from "./parse-statement.ts";
export * from "./statement.ts";
export {
  entryLine,
  genesisText,
  linkText,
  parseEntryLine,
  type StatementEntry,
  type StatementFacts,
} from "./statement-entry.ts";
export { StatementWriter, statementText } from "./statement-writer.ts";
export * from "./utc-day.ts";
export { type StatementVerdict, verifyStatement } from "./verify-statement.ts";
