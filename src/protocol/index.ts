/** Commands, events and the ports that carry them. Imports only the domain. */
export type { AffiliateCommand } from "./affiliate-commands.ts";
export type * from "./affiliate-queries.ts";
export * from "./bytes.ts";
export type * from "./command-answers.ts";
export * from "./commands.ts";
export {
  CONTRACT_MARKET_FIELDS,
  CONTRACT_PROTECTION_DEFAULTS,
  CONTRACT_PROTECTION_FIELDS,
  type ContractCommand,
} from "./contract-commands.ts";
export type * from "./contract-queries.ts";
export { CUSTODY_REPORT_FIELDS, type CustodyReport, type CustodyRow } from "./custody-records.ts";
export * from "./engine-client.ts";
export * from "./engine-port.ts";
export * from "./events.ts";
export * from "./journal-port.ts";
export * from "./queries.ts";
export * from "./record.ts";
export * from "./record-run.ts";
export type { WebhookView } from "./webhook-records.ts";
export type { WithdrawalCommand } from "./withdrawal-commands.ts";
export type * from "./withdrawal-queries.ts";
