/** Events of reported deposits. The money itself arrives with a `funds-moved`. */
import { DEPOSIT_STATES } from "../domain/index.ts";
import { DEPOSIT_RULES_FIELDS } from "./deposit-commands.ts";
import { big, choice, record, text, uint } from "./record.ts";

const depositRulesSet = record(124, "deposit-rules-set", { actor: text, ...DEPOSIT_RULES_FIELDS });

/**
 * A deposit was first seen, has other confirmations, was credited or dropped; the whole of it.
 * `actor` is "" when only the confirmations changed.
 */
const depositChanged = record(125, "deposit-changed", {
  actor: text,
  depositId: uint,
  uid: uint,
  asset: text,
  amountMinor: big,
  network: text,
  transactionId: text,
  outputIndex: uint,
  confirmations: uint,
  required: uint,
  state: choice(DEPOSIT_STATES),
  firstMs: uint,
});

export const DEPOSIT_EVENTS = [depositRulesSet, depositChanged] as const;
