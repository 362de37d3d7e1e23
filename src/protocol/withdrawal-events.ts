/** Events of withdrawals. The money itself leaves with a `funds-moved` when one is done. */
import { WITHDRAWAL_STATES } from "../domain/index.ts";
import { big, choice, record, text, uint } from "./record.ts";
import { WITHDRAWAL_ADDRESS_FIELDS, WITHDRAWAL_RULES_FIELDS } from "./withdrawal-commands.ts";

const withdrawalRulesSet = record(120, "withdrawal-rules-set", {
  actor: text,
  ...WITHDRAWAL_RULES_FIELDS,
});

const withdrawalAddressAdded = record(121, "withdrawal-address-added", {
  actor: text,
  addressId: uint,
  ...WITHDRAWAL_ADDRESS_FIELDS,
});

const withdrawalAddressRemoved = record(122, "withdrawal-address-removed", {
  actor: text,
  addressId: uint,
  ...WITHDRAWAL_ADDRESS_FIELDS,
});

/**
 * A withdrawal was requested or reached its next state; the whole of it, as it is now.
 * `amountMinor` includes the fee. `stepId` and `note` are of this step; `reference` is set from
 * `sent` on.
 */
const withdrawalChanged = record(123, "withdrawal-changed", {
  actor: text,
  withdrawalId: uint,
  uid: uint,
  requestId: text,
  asset: text,
  amountMinor: big,
  feeMinor: big,
  addressId: uint,
  network: text,
  address: text,
  memo: text,
  state: choice(WITHDRAWAL_STATES),
  stepId: text,
  note: text,
  reference: text,
  requestedMs: uint,
});

export const WITHDRAWAL_EVENTS = [
  withdrawalRulesSet,
  withdrawalAddressAdded,
  withdrawalAddressRemoved,
  withdrawalChanged,
] as const;
