/** What is asked about withdrawals, address books and deposits, and what must be answered. */
import { DEPOSIT_STATES, WITHDRAWAL_STATES } from "../../src/domain/index.ts";
import type { HistoryAnswer } from "../../src/queries/index.ts";
import { type Known, maybe, type Question, type Readings, sentOf, someLimit } from "./questions.ts";

type WithdrawalEntry = HistoryAnswer<"withdrawals">[number];
type DepositEntry = HistoryAnswer<"deposits">[number];

const ALL = 1_000_000;
const NONE = { state: null, afterWithdrawalId: 0, afterDepositId: 0 } as const;
const NEWEST = { beforeWithdrawalId: ALL, beforeDepositId: ALL, limit: ALL } as const;

function withdrawalOf(entry: WithdrawalEntry) {
  const { addressId, address, amount, asset, fee, memo, network, withdrawalId } = entry;
  return {
    withdrawalId,
    clientWithdrawalId: entry.requestId,
    ...{ asset, amount, fee, addressId, network, address, memo },
    status: entry.state.toUpperCase(),
    txId: entry.reference,
    createTime: entry.requestedMs,
    updateTime: entry.changedMs,
  };
}

function depositOf(entry: DepositEntry) {
  const { amount, asset, confirmations, depositId, network, outputIndex } = entry;
  return {
    ...{ depositId, asset, amount, network, txId: entry.transactionId, outputIndex },
    ...{ confirmations, requiredConfirmations: entry.required },
    status: entry.state.toUpperCase(),
    createTime: entry.firstMs,
    updateTime: entry.changedMs,
  };
}

const withdrawals: Readings[string] = ({ history, uid }, random): Question => {
  const state = maybe(random, WITHDRAWAL_STATES);
  const all = history.answer("withdrawals", { uid, ...NONE, ...NEWEST, state });
  const beforeId = maybe(random, all)?.withdrawalId;
  const { limit, sent } = someLimit(random, 20, 100, all.length);
  const before = { beforeWithdrawalId: beforeId ?? ALL };
  const question = { uid, ...NONE, state, ...before, limit };
  return {
    sent: sentOf({ status: state?.toUpperCase(), beforeId, limit: sent }),
    due: () => history.answer("withdrawals", question).map(withdrawalOf),
  };
};

const withdrawal: Readings[string] = ({ history, uid }, random): Question | null => {
  const one = maybe(random, history.answer("withdrawals", { uid, ...NONE, ...NEWEST }));
  const found = one && history.answer("withdrawal", { withdrawalId: one.withdrawalId, uid });
  if (!found) return null;
  const steps = found.steps.map(({ actor, state, timeMs: time }) => {
    return { status: state.toUpperCase(), time, isOwn: actor === "" };
  });
  return {
    sent: sentOf({ withdrawalId: found.withdrawalId }),
    due: () => ({ ...withdrawalOf(found), steps }),
  };
};

const deposits: Readings[string] = ({ history, uid }, random): Question => {
  const state = maybe(random, DEPOSIT_STATES);
  const all = history.answer("deposits", { uid, ...NONE, ...NEWEST, state });
  const beforeId = maybe(random, all)?.depositId;
  const { limit, sent } = someLimit(random, 20, 100, all.length);
  const question = { uid, ...NONE, state, beforeDepositId: beforeId ?? ALL, limit };
  return {
    sent: sentOf({ status: state?.toUpperCase(), beforeId, limit: sent }),
    due: () => history.answer("deposits", question).map(depositOf),
  };
};

/** Under the rules of now, whenever an address was added. */
function addresses({ naive, uid }: Known): Question {
  const { withdrawals: ledger } = naive;
  return {
    sent: {},
    due: () =>
      ledger.addresses
        .filter((one) => one.uid === uid)
        .map(({ addedMs: createTime, uid: _, ...rest }) => {
          const holdMs = ledger.rules.get(rest.asset)?.addressHoldMs ?? 0;
          return { ...rest, createTime, usableFrom: createTime + holdMs };
        }),
  };
}

/** Asked for by name alone, of whoever has a key for it. */
export const FUNDING_READINGS: Readings = {
  "GET /api/v3/withdrawals": withdrawals,
  "GET /api/v3/withdrawal": withdrawal,
  "GET /api/v3/deposits": deposits,
  "GET /api/v3/withdrawal/addresses": addresses,
};
