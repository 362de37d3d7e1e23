/** Commands of withdrawals that are requested, decided and sent: see `engine/withdrawals`. */
import { WITHDRAWAL_STEPS } from "../domain/index.ts";
import { choice, type Decoded, flag, nullable, record, text, uint } from "./record.ts";

/** The rules of an asset, as in its command and its event. */
export const WITHDRAWAL_RULES_FIELDS = {
  asset: text,
  /** Whether withdrawals can be requested. */
  enabled: flag,
  minAmount: text,
  /** Kept of each amount; less than `minAmount`. */
  fee: text,
  /** Per user and UTC day; null for no limit. */
  dailyLimit: nullable(text),
  /** How long an address must have been in the book. */
  addressHoldMs: uint,
  /** How long ago the user's API keys must have changed. */
  keyHoldMs: uint,
} as const;

const setWithdrawalRules = record(90, "set-withdrawal-rules", {
  actor: text,
  ...WITHDRAWAL_RULES_FIELDS,
});

/** An address in a user's address book, as in its command and its event. */
export const WITHDRAWAL_ADDRESS_FIELDS = {
  uid: uint,
  asset: text,
  network: text,
  address: text,
  /** Memo or tag; "" for none. */
  memo: text,
  label: text,
} as const;

/** An address that the book has already answers its entry. */
export const addWithdrawalAddress = record(91, "add-withdrawal-address", {
  actor: text,
  ...WITHDRAWAL_ADDRESS_FIELDS,
});

const removeWithdrawalAddress = record(92, "remove-withdrawal-address", {
  actor: text,
  uid: uint,
  addressId: uint,
});

/**
 * Freezes the amount in the user's spot wallet. A repeated `requestId` answers as the first; ids
 * are unique per user. `actor` is "" when the user asks.
 */
const requestWithdrawal = record(93, "request-withdrawal", {
  actor: text,
  requestId: text,
  uid: uint,
  addressId: uint,
  amount: text,
});

/**
 * A repeated `requestId` answers as the first; ids are unique per withdrawal. `note` is the reason,
 * or for `sent` the external reference.
 */
export const setWithdrawalState = record(94, "set-withdrawal-state", {
  actor: text,
  requestId: text,
  withdrawalId: uint,
  state: choice(WITHDRAWAL_STEPS),
  note: text,
});

/** The user takes back a withdrawal that is not decided: it ends as rejected. */
const cancelWithdrawal = record(98, "cancel-withdrawal", { uid: uint, withdrawalId: uint });

export const WITHDRAWAL_COMMANDS = [
  setWithdrawalRules,
  addWithdrawalAddress,
  removeWithdrawalAddress,
  requestWithdrawal,
  setWithdrawalState,
  cancelWithdrawal,
] as const;

export type WithdrawalCommand = Decoded<(typeof WITHDRAWAL_COMMANDS)[number]>;
