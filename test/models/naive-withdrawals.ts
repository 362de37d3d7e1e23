/**
 * The naive ledger of withdrawals: plain numbers per user and asset, every withdrawal kept as a
 * list of what happened to it, every rule looked up by walking all of them. Shares nothing with the
 * engine. For a request it names all rules that are broken, in no order.
 */
import type { CommandOf } from "../../src/protocol/index.ts";
import { exact } from "../support/exact.ts";

type Rules = CommandOf<"set-withdrawal-rules">;
type Request = CommandOf<"request-withdrawal">;
type Step = CommandOf<"set-withdrawal-state">;

export interface NaiveWallet {
  available: bigint;
  frozen: bigint;
}

interface NaiveAddress {
  readonly addressId: number;
  readonly uid: number;
  readonly text: string;
  readonly label: string;
  readonly asset: string;
  readonly addedMs: number;
}

interface NaiveStep {
  readonly id: string;
  readonly state: string;
  readonly note: string;
  readonly atMs: number;
}

export interface NaiveWithdrawal {
  readonly withdrawalId: number;
  readonly uid: number;
  readonly isOwn: boolean;
  readonly addressId: number;
  readonly asset: string;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly steps: NaiveStep[];
}

/** `ok` with the answer, or every reason to refuse. */
export type Verdict =
  | { readonly ok: true; readonly answer: unknown; readonly isNew: boolean }
  | { readonly ok: false; readonly reasons: readonly string[] };

const NEXT: Readonly<Record<string, readonly string[]>> = {
  requested: ["approved", "rejected"],
  approved: ["sent"],
  sent: ["done", "failed"],
  rejected: [],
  done: [],
  failed: [],
};

const OPEN_MAX = 100;

export class NaiveWithdrawals {
  readonly wallets = new Map<string, NaiveWallet>();
  readonly withdrawals: NaiveWithdrawal[] = [];
  readonly addresses: NaiveAddress[] = [];
  readonly rules = new Map<string, Rules>();
  readonly keysChangedMs = new Map<number, number>();
  readonly frozenUsers = new Set<number>();
  /** What left the exchange and what it kept, by asset. */
  readonly left = new Map<string, bigint>();
  readonly fees = new Map<string, bigint>();
  #addressIds = 0;

  wallet(uid: number, asset: string): NaiveWallet {
    const key = `${uid} ${asset}`;
    const wallet = this.wallets.get(key) ?? { available: 0n, frozen: 0n };
    this.wallets.set(key, wallet);
    return wallet;
  }

  changeKey(uid: number, nowMs: number): void {
    if (this.rules.size > 0) this.keysChangedMs.set(uid, nowMs);
  }

  addAddress(command: CommandOf<"add-withdrawal-address">, nowMs: number): Verdict {
    const { uid, asset, network, address, memo, label } = command;
    const text = JSON.stringify([asset, network, address, memo]);
    const present = this.addresses.find((one) => one.uid === uid && one.text === text);
    const hold = this.rules.get(asset)?.addressHoldMs ?? 0;
    const answer = (one: NaiveAddress) => {
      return { addressId: one.addressId, usableFromMs: one.addedMs + hold };
    };
    if (present !== undefined) {
      if (present.label !== label) return refused("conflict label");
      return { ok: true, answer: answer(present), isNew: false };
    }
    const added = { addressId: ++this.#addressIds, uid, text, label, asset, addedMs: nowMs };
    this.addresses.push(added);
    return { ok: true, answer: answer(added), isNew: true };
  }

  removeAddress({ uid, addressId }: CommandOf<"remove-withdrawal-address">): Verdict {
    const at = this.addresses.findIndex((one) => one.uid === uid && one.addressId === addressId);
    if (at === -1) return refused("unknown-address addressId");
    this.addresses.splice(at, 1);
    return { ok: true, answer: null, isNew: true };
  }

  request(command: Request, nowMs: number): Verdict {
    const { uid, addressId, requestId } = command;
    const isOwn = command.actor === "";
    const amount = exact(command.amount);
    const first = this.withdrawals.find(
      (one) => one.uid === uid && one.isOwn === isOwn && one.steps[0]?.id === requestId,
    );
    if (first !== undefined) {
      const isSame = first.addressId === addressId && first.amount === amount;
      return isSame ? answered(first, "requested", false) : refused("conflict id");
    }
    const target = this.addresses.find((one) => one.uid === uid && one.addressId === addressId);
    if (target === undefined) return refused("unknown-address addressId");
    const reasons = this.#broken(uid, target, amount, nowMs);
    if (reasons.length > 0) return refused(...reasons);
    const wallet = this.wallet(uid, target.asset);
    wallet.available -= amount;
    wallet.frozen += amount;
    const withdrawal: NaiveWithdrawal = {
      withdrawalId: this.withdrawals.length + 1,
      ...{ uid, isOwn, addressId, asset: target.asset, amount },
      fee: exact(this.rules.get(target.asset)?.fee ?? "0"),
      steps: [{ id: requestId, state: "requested", note: "", atMs: nowMs }],
    };
    this.withdrawals.push(withdrawal);
    return answered(withdrawal, "requested", true);
  }

  #broken(uid: number, { asset, addedMs }: NaiveAddress, amount: bigint, nowMs: number): string[] {
    const rules = this.rules.get(asset);
    if (rules?.enabled !== true) return ["withdrawals-closed asset"];
    const reasons: string[] = [];
    if (this.frozenUsers.has(uid)) reasons.push("user-frozen null");
    if (amount < exact(rules.minAmount)) reasons.push("out-of-range amount");
    if (nowMs < addedMs + rules.addressHoldMs) reasons.push("withdrawal-on-hold addressId");
    const changedMs = this.keysChangedMs.get(uid) ?? Number.NEGATIVE_INFINITY;
    if (nowMs < changedMs + rules.keyHoldMs) reasons.push("withdrawal-on-hold uid");
    const mine = this.withdrawals.filter((one) => one.uid === uid);
    const day = new Date(nowMs).toISOString().slice(0, 10);
    const today = mine.filter(
      ({ asset: of, steps }) =>
        of === asset && new Date(steps[0]?.atMs ?? 0).toISOString().startsWith(day),
    );
    const used = today
      .filter((one) => !["rejected", "failed"].includes(stateOf(one)))
      .reduce((sum, one) => sum + one.amount, 0n);
    if (rules.dailyLimit !== null && used + amount > exact(rules.dailyLimit)) {
      reasons.push("withdrawal-limit amount");
    }
    const open = mine.filter((one) => (NEXT[stateOf(one)] ?? []).length > 0);
    if (open.length >= OPEN_MAX) reasons.push("withdrawal-limit uid");
    if (this.wallet(uid, asset).available < amount) reasons.push("insufficient-balance amount");
    return reasons;
  }

  step({ withdrawalId, requestId, state, note }: Step, nowMs: number): Verdict {
    const found = this.withdrawals.find((one) => one.withdrawalId === withdrawalId);
    if (found === undefined) return refused("unknown-withdrawal withdrawalId");
    const { uid, asset, amount, fee, steps } = found;
    const first = steps.slice(1).find(({ id }) => id === requestId);
    if (first !== undefined) {
      const isSame = first.state === state && first.note === note;
      return isSame ? answered(found, state, false) : refused("conflict id");
    }
    if (!NEXT[stateOf(found)]?.includes(state)) return refused("withdrawal-state state");
    if (state === "sent" && note === "") return refused("malformed note");
    if (state === "approved" && this.frozenUsers.has(uid)) return refused("user-frozen null");
    steps.push({ id: requestId, state, note, atMs: nowMs });
    const wallet = this.wallet(uid, asset);
    if (state === "rejected" || state === "failed") {
      wallet.frozen -= amount;
      wallet.available += amount;
    }
    if (state === "done") {
      wallet.frozen -= amount;
      this.left.set(asset, (this.left.get(asset) ?? 0n) + amount - fee);
      this.fees.set(asset, (this.fees.get(asset) ?? 0n) + fee);
    }
    return answered(found, state, true);
  }

  /** Whoever is not its user finds none. */
  cancel({ uid, withdrawalId }: CommandOf<"cancel-withdrawal">, nowMs: number): Verdict {
    const mine = this.withdrawals.filter((one) => one.uid === uid);
    if (!mine.some((one) => one.withdrawalId === withdrawalId)) {
      return refused("unknown-withdrawal withdrawalId");
    }
    const own = { actor: "", requestId: "", note: "cancelled by the user" } as const;
    const type = "set-withdrawal-state";
    return this.step({ type, withdrawalId, state: "rejected", ...own }, nowMs);
  }
}

export function stateOf({ steps }: NaiveWithdrawal): string {
  return steps.at(-1)?.state ?? "";
}

function refused(...reasons: string[]): Verdict {
  return { ok: false, reasons };
}

function answered(
  { withdrawalId, steps }: NaiveWithdrawal,
  state: string,
  isNew: boolean,
): Verdict {
  const timestampMs = steps.find((one) => one.state === state)?.atMs;
  return { ok: true, answer: { withdrawalId, state, timestampMs }, isNew };
}
