/** Withdrawals in the state's canonical form; absent where there are none. */
import { WITHDRAWAL_STATES } from "../../domain/index.ts";
import { big, choice, flag, list, nullable, record, text, uint } from "../../protocol/index.ts";
import { section } from "../snapshot-section.ts";
import type { State } from "../state.ts";
import type { Withdrawal } from "./withdrawal-state.ts";

const metaRow = record(80, "withdrawal-meta", {
  nextWithdrawalId: uint,
  nextAddressId: uint,
  countedDay: uint,
});

const META = section({
  name: "withdrawal-meta",
  codec: metaRow,
  optional: true,
  *rowsOf({ withdrawals: { nextWithdrawalId, nextAddressId, countedDay } }) {
    // As a state begins: nothing is requested without an address.
    if (nextAddressId === 1) return;
    yield { type: "withdrawal-meta", nextWithdrawalId, nextAddressId, countedDay } as const;
  },
  restore({ withdrawals }, { type: _, ...counters }) {
    Object.assign(withdrawals, counters);
  },
});

const rulesRow = record(81, "withdrawal-rules", {
  assetIndex: uint,
  enabled: flag,
  minAmountMinor: big,
  feeMinor: big,
  dailyLimitMinor: nullable(big),
  addressHoldMs: uint,
  keyHoldMs: uint,
});

function byNumber<Value>(map: ReadonlyMap<number, Value>): [number, Value][] {
  return [...map].sort(([one], [other]) => one - other);
}

const RULES = section({
  name: "withdrawal-rules",
  codec: rulesRow,
  optional: true,
  *rowsOf({ withdrawals }) {
    for (const [assetIndex, rules] of byNumber(withdrawals.rules)) {
      yield { type: "withdrawal-rules", assetIndex, ...rules } as const;
    }
  },
  restore({ withdrawals }, { type: _, assetIndex, ...rules }) {
    withdrawals.rules.set(assetIndex, rules);
  },
});

const addressRow = record(82, "withdrawal-address", {
  addressId: uint,
  uid: uint,
  assetIndex: uint,
  network: text,
  address: text,
  memo: text,
  label: text,
  addedMs: uint,
});

const ADDRESSES = section({
  name: "withdrawal-addresses",
  codec: addressRow,
  optional: true,
  *rowsOf({ withdrawals }) {
    for (const [, book] of byNumber(withdrawals.addresses)) {
      for (const address of book.values()) {
        yield { type: "withdrawal-address", ...address } as const;
      }
    }
  },
  restore({ withdrawals: { addresses } }, { type: _, ...address }) {
    const book = addresses.get(address.uid) ?? new Map();
    addresses.set(address.uid, book.set(address.addressId, address));
  },
});

const withdrawalRow = record(83, "withdrawal", {
  withdrawalId: uint,
  uid: uint,
  isOwn: flag,
  assetIndex: uint,
  amountMinor: big,
  feeMinor: big,
  addressId: uint,
  network: text,
  address: text,
  memo: text,
  /** Of the request and of each step, side by side. */
  requestIds: list(text),
  states: list(choice(WITHDRAWAL_STATES)),
  notes: list(text),
  timestampsMs: list(uint),
});

/** The open ones, oldest first; then the ended ones in the order in which they are forgotten. */
const WITHDRAWALS = section({
  name: "withdrawals",
  codec: withdrawalRow,
  optional: true,
  *rowsOf({ withdrawals }) {
    for (const withdrawal of withdrawals.open.values()) yield rowOf(withdrawal);
    for (const withdrawal of withdrawals.ended.values()) yield rowOf(withdrawal);
  },
  restore({ withdrawals }, { type: _, requestIds, states, notes, timestampsMs, ...terms }) {
    const steps = requestIds.map((requestId, i) => ({
      requestId,
      state: states[i] ?? "requested",
      note: notes[i] ?? "",
      timestampMs: timestampsMs[i] ?? 0,
    }));
    withdrawals.add({ ...terms, steps });
  },
});

function rowOf({ steps, ...terms }: Withdrawal) {
  return {
    type: "withdrawal",
    ...terms,
    requestIds: steps.map(({ requestId }) => requestId),
    states: steps.map(({ state }) => state),
    notes: steps.map(({ note }) => note),
    timestampsMs: steps.map(({ timestampMs }) => timestampMs),
  } as const;
}

const keysRow = record(84, "withdrawal-keys-changed", { uid: uint, changedMs: uint });

const KEYS_CHANGED = section({
  name: "withdrawal-keys-changed",
  codec: keysRow,
  optional: true,
  *rowsOf({ withdrawals }: State) {
    for (const [uid, changedMs] of byNumber(withdrawals.keysChangedMs)) {
      yield { type: "withdrawal-keys-changed", uid, changedMs } as const;
    }
  },
  restore({ withdrawals }, { uid, changedMs }) {
    withdrawals.keysChangedMs.set(uid, changedMs);
  },
});

const countRow = record(85, "withdrawal-count", { key: text, requestedMinor: big });

const COUNTS = section({
  name: "withdrawal-counts",
  codec: countRow,
  optional: true,
  *rowsOf({ withdrawals: { requestedMinor } }) {
    for (const key of [...requestedMinor.keys()].sort()) {
      const minor = requestedMinor.get(key) ?? 0n;
      yield { type: "withdrawal-count", key, requestedMinor: minor } as const;
    }
  },
  restore({ withdrawals }, { key, requestedMinor }) {
    withdrawals.requestedMinor.set(key, requestedMinor);
  },
});

export const WITHDRAWAL_SECTIONS = [
  META,
  RULES,
  ADDRESSES,
  WITHDRAWALS,
  KEYS_CHANGED,
  COUNTS,
] as const;
