/** Random values of what is about withdrawals and deposits, for `random-records.ts`. */
import { DEPOSIT_STATES, WITHDRAWAL_STATES, WITHDRAWAL_STEPS } from "../../src/domain/index.ts";
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

function depositRulesFields({ text, uint }: RandomFields) {
  return { actor: text(), asset: text(), network: text(), confirmations: uint() };
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
    "set-deposit-rules": () => depositRulesFields(fields),
    "report-deposit": () => ({
      actor: text(),
      network: text(),
      transactionId: text(),
      outputIndex: uint(),
      uid: uint(),
      asset: text(),
      amount: text(),
      confirmations: uint(),
    }),
    "drop-deposit": () => ({ actor: text(), depositId: uint() }),
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
    "cancel-withdrawal": () => ({ uid: uint(), withdrawalId: uint() }),
  };
}

export function randomWithdrawalEvents(fields: RandomFields) {
  const { text, uint, big, pick } = fields;
  return {
    "deposit-rules-set": () => depositRulesFields(fields),
    "deposit-changed": () => ({
      actor: text(),
      depositId: uint(),
      uid: uint(),
      asset: text(),
      amountMinor: big(),
      network: text(),
      transactionId: text(),
      outputIndex: uint(),
      confirmations: uint(),
      required: uint(),
      state: pick(DEPOSIT_STATES),
      firstMs: uint(),
    }),
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
