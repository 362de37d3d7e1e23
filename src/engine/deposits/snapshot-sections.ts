/** Reported deposits in the state's canonical form; absent where there are none. */
import { big, record, text, uint } from "../../protocol/index.ts";
import { section } from "../snapshot-section.ts";

const metaRow = record(86, "deposit-meta", { nextDepositId: uint });

const META = section({
  name: "deposit-meta",
  codec: metaRow,
  optional: true,
  *rowsOf({ deposits: { nextDepositId } }) {
    if (nextDepositId > 1) yield { type: "deposit-meta", nextDepositId } as const;
  },
  restore({ deposits }, { nextDepositId }) {
    deposits.nextDepositId = nextDepositId;
  },
});

const rulesRow = record(87, "deposit-rules", { key: text, confirmations: uint });

const RULES = section({
  name: "deposit-rules",
  codec: rulesRow,
  optional: true,
  *rowsOf({ deposits: { required } }) {
    for (const key of [...required.keys()].sort()) {
      yield { type: "deposit-rules", key, confirmations: required.get(key) ?? 0 } as const;
    }
  },
  restore({ deposits }, { key, confirmations }) {
    deposits.required.set(key, confirmations);
  },
});

const TERMS = { depositId: uint, uid: uint, assetIndex: uint, amountMinor: big } as const;

const pendingRow = record(88, "pending-deposit", {
  ...TERMS,
  network: text,
  transactionId: text,
  outputIndex: uint,
  firstMs: uint,
  confirmations: uint,
});

const PENDING = section({
  name: "pending-deposits",
  codec: pendingRow,
  optional: true,
  *rowsOf({ deposits }) {
    for (const deposit of deposits.pending.values()) {
      yield { type: "pending-deposit", ...deposit } as const;
    }
  },
  restore({ deposits }, { type: _, ...deposit }) {
    deposits.addPending(deposit);
  },
});

const creditedRow = record(89, "credited-deposit", { key: text, ...TERMS });

/** In the order in which they were credited. */
const CREDITED = section({
  name: "credited-deposits",
  codec: creditedRow,
  optional: true,
  *rowsOf({ deposits }) {
    for (const [key, deposit] of deposits.credited) {
      yield { type: "credited-deposit", key, ...deposit } as const;
    }
  },
  restore({ deposits }, { type: _, key, ...deposit }) {
    deposits.credited.set(key, deposit);
  },
});

export const DEPOSIT_SECTIONS = [META, RULES, PENDING, CREDITED] as const;
