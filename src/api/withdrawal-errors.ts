/** Errors of withdrawals and reported deposits: see `errors.ts`. */
import type { RejectReason } from "../domain/index.ts";
import { type ErrorEntry, entry } from "./error-entry.ts";

export const WITHDRAWAL_ERRORS = {
  "unknown-withdrawal": entry(
    "40034",
    -1142,
    "Unknown withdrawal",
    "No such withdrawal, or it is another user's.",
    "Check the id.",
  ),
  "unknown-address": entry(
    "40034",
    -1142,
    "Unknown withdrawal address",
    "The user's address book has no such address.",
    "Add the address to the book first.",
  ),
  "withdrawals-closed": entry(
    "43115",
    -1058,
    "The asset takes no withdrawals now",
    "The operator has set no rules for withdrawals of the asset, or has switched them off.",
    "Wait until the operator opens withdrawals of the asset.",
  ),
  "withdrawal-on-hold": entry(
    "40017",
    -1140,
    "Withdrawals are on hold",
    "The address is new in the book, or the user's API keys have just changed.",
    "Wait until the time in the message, in milliseconds since 1970.",
  ),
  "withdrawal-limit": entry(
    "40017",
    -1140,
    "The limit of withdrawals is reached",
    "The user's limit of the UTC day, or of open withdrawals, does not allow another.",
    "Withdraw less, or wait; the message says how much is left.",
  ),
  "withdrawal-state": entry(
    "40017",
    -1140,
    "The withdrawal is in another state",
    "A step was asked for out of its order: requested, approved or rejected, sent, done or failed.",
    "Read the withdrawal; the message gives its state.",
  ),
  "unknown-deposit": entry(
    "40034",
    -1142,
    "Unknown deposit",
    "No such deposit, or it is no longer pending.",
    "Check the id.",
  ),
  "deposits-closed": entry(
    "43115",
    -1058,
    "The asset takes no deposits over this network",
    "The operator has not said how many confirmations such a deposit needs.",
    "Set the rules of the asset and network first.",
  ),
} satisfies Partial<Record<RejectReason, ErrorEntry>>;
