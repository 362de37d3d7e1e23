/** Random values of the commands and events of withdrawals, for `random-records.ts`. */
import { WITHDRAWAL_STATES, WITHDRAWAL_STEPS } from "../../src/domain/index.ts";
import type { RandomFields } from "./random-contract-records.ts";

function rulesFields({ text, uint, flag, orNull }: RandomFields) {
  return {
    actor: text(),
    asset: text(),
    enabled: flag(),
    minAmount: text(),
    fee: text(),
    dailyLimit: orNull(text),
    addressHoldMs: uint(),
    keyHoldMs: uint(),
  };
}

function addressFields({ text, uint }: RandomFields) {
  return {
    actor: text(),
    uid: uint(),
    asset: text(),
    network: text(),
    address: text(),
    memo: text(),
    label: text(),
  };
}

export function randomWithdrawalCommands(fields: RandomFields) {
  const { text, uint, pick } = fields;
  return {
    "set-withdrawal-rules": () => rulesFields(fields),
    "add-withdrawal-address": () => addressFields(fields),
    "remove-withdrawal-address": () => ({ actor: text(), uid: uint(), addressId: uint() }),
    "request-withdrawal": () => ({
      actor: text(),
      requestId: text(),
      uid: uint(),
      addressId: uint(),
      amount: text(),
    }),
    "set-withdrawal-state": () => ({
      actor: text(),
      requestId: text(),
      withdrawalId: uint(),
      state: pick(WITHDRAWAL_STEPS),
      note: text(),
    }),
  };
}

export function randomWithdrawalEvents(fields: RandomFields) {
  const { text, uint, big, pick } = fields;
  return {
    "withdrawal-rules-set": () => rulesFields(fields),
    "withdrawal-address-added": () => ({ ...addressFields(fields), addressId: uint() }),
    "withdrawal-address-removed": () => ({ ...addressFields(fields), addressId: uint() }),
    "withdrawal-changed": () => ({
      actor: text(),
      withdrawalId: uint(),
      uid: uint(),
      requestId: text(),
      asset: text(),
      amountMinor: big(),
      feeMinor: big(),
      addressId: uint(),
      network: text(),
      address: text(),
      memo: text(),
      state: pick(WITHDRAWAL_STATES),
      stepId: text(),
      note: text(),
      reference: text(),
      requestedMs: uint(),
    }),
  };
}
