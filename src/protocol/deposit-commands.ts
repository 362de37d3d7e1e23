/** Commands of deposits that are credited after confirmations: see `engine/deposits`. */
import { record, text, uint } from "./record.ts";

/** How many confirmations a deposit of an asset over a network needs. */
export const DEPOSIT_RULES_FIELDS = { asset: text, network: text, confirmations: uint } as const;

const setDepositRules = record(95, "set-deposit-rules", { actor: text, ...DEPOSIT_RULES_FIELDS });

/**
 * What is known of a deposit now. Network, transaction and output are its id: it is credited once,
 * in the first report with enough confirmations.
 */
const reportDeposit = record(96, "report-deposit", {
  actor: text,
  network: text,
  transactionId: text,
  outputIndex: uint,
  uid: uint,
  asset: text,
  amount: text,
  confirmations: uint,
});

/** A pending deposit will not arrive. Reported again, it is a new one. */
const dropDeposit = record(97, "drop-deposit", { actor: text, depositId: uint });

export const DEPOSIT_COMMANDS = [setDepositRules, reportDeposit, dropDeposit] as const;
