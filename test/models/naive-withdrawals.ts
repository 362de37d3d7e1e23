/**
 * The naive ledger of withdrawals: every withdrawal kept as a list of what happened to it, every
 * rule looked up by walking all of them. Shares nothing with the engine. For a request it names all
 * rules that are broken, in no order.
 */
import type { CommandOf } from "../../src/protocol/index.ts";
import { exact, text } from "../support/exact.ts";
import type { NaiveEvent } from "./naive-accounts.ts";
import type { NaiveWallets } from "./naive-wallets.ts";

type Rules = CommandOf<"set-withdrawal-rules">;
type Request = CommandOf<"request-withdrawal">;
type Step = CommandOf<"set-withdrawal-state">;

export interface NaiveAddress {
  readonly addressId: number;
  readonly uid: number;
  readonly asset: string;
  readonly network: string;
  readonly address: string;
  readonly memo: string;
  readonly label: string;
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
  /** As it was in the book. */
  readonly target: NaiveAddress;
  readonly asset: string;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly steps: NaiveStep[];
}

/** `ok` with the answer and what happened, or every reason to refuse, each with its field. */
export type Verdict =
  | { readonly ok: true; readonly answer: unknown; readonly events: readonly NaiveEvent[] }
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
const ADDRESSES_MAX = 100;
const HOLD_MAX_MS = 365 * 86_400_000;

export class NaiveWithdrawals {
  readonly withdrawals: NaiveWithdrawal[] = [];
  readonly addresses: NaiveAddress[] = [];
  readonly rules = new Map<string, Rules>();
  readonly keysChangedMs = new Map<number, number>();
  readonly #wallets: NaiveWallets;
  #addressIds = 0;

  constructor(wallets: NaiveWallets) {
    this.#wallets = wallets;
  }

  changeKey(uid: number, nowMs: number): void {
    if (this.rules.size > 0) this.keysChangedMs.set(uid, nowMs);
  }

  setRules(command: Rules): Verdict {
    const { actor, asset, enabled, addressHoldMs, keyHoldMs } = command;
    const unit = this.#wallets.unitOf(asset);
    if (unit === null) return refused("unknown-asset asset");
    const [least, fee] = [exact(command.minAmount), exact(command.fee)];
    const most = command.dailyLimit === null ? null : exact(command.dailyLimit);
    const reasons: string[] = [];
    if (least % unit > 0n) reasons.push("excess-precision minAmount");
    if (fee % unit > 0n) reasons.push("excess-precision fee");
    if (most !== null && most % unit > 0n) reasons.push("excess-precision dailyLimit");
    if (least <= fee) reasons.push("out-of-range minAmount");
    if (most !== null && most < least) reasons.push("out-of-range dailyLimit");
    if (addressHoldMs > HOLD_MAX_MS) reasons.push("out-of-range addressHoldMs");
    if (keyHoldMs > HOLD_MAX_MS) reasons.push("out-of-range keyHoldMs");
    if (reasons.length > 0) return refused(...reasons);
    const amounts = { minAmount: text(least), fee: text(fee) };
    const limit = { dailyLimit: most === null ? null : text(most) };
    const set = { asset, enabled, ...amounts, ...limit, addressHoldMs, keyHoldMs };
    const present = this.rules.get(asset);
    this.rules.set(asset, { ...command, ...set });
    const isSame = JSON.stringify({ ...present, actor }) === JSON.stringify(this.rules.get(asset));
    return done(null, isSame ? [] : [{ type: "withdrawal-rules-set", actor, ...set }]);
  }

  addAddress(command: CommandOf<"add-withdrawal-address">, nowMs: number): Verdict {
    const { actor, type: _, ...terms } = command;
    const { uid, asset, label } = terms;
    if (!this.#wallets.hasUser(uid)) return refused("unknown-user uid");
    if (this.#wallets.unitOf(asset) === null) return refused("unknown-asset asset");
    const mine = this.addresses.filter((one) => one.uid === uid);
    const present = mine.find((one) => textOf(one) === textOf(terms));
    const hold = this.rules.get(asset)?.addressHoldMs ?? 0;
    const answer = (one: NaiveAddress) => {
      return { addressId: one.addressId, usableFromMs: one.addedMs + hold };
    };
    if (present !== undefined) {
      return present.label === label ? done(answer(present), []) : refused("conflict label");
    }
    if (mine.length >= ADDRESSES_MAX) return refused("conflict uid");
    const addressId = ++this.#addressIds;
    const added = { addressId, ...terms, addedMs: nowMs };
    this.addresses.push(added);
    const event = { type: "withdrawal-address-added", actor, addressId, ...terms };
    return done(answer(added), [event]);
  }

  removeAddress({ actor, uid, addressId }: CommandOf<"remove-withdrawal-address">): Verdict {
    if (!this.#wallets.hasUser(uid)) return refused("unknown-user uid");
    const at = this.addresses.findIndex((one) => one.uid === uid && one.addressId === addressId);
    const [removed] = at === -1 ? [] : this.addresses.splice(at, 1);
    if (removed === undefined) return refused("unknown-address addressId");
    const { addedMs: _, ...terms } = removed;
    return done(null, [{ type: "withdrawal-address-removed", actor, ...terms }]);
  }

  request(command: Request, nowMs: number): Verdict {
    const { actor, uid, addressId, requestId } = command;
    const isOwn = actor === "";
    const amount = exact(command.amount);
    if (!this.#wallets.hasUser(uid)) return refused("unknown-user uid");
    const first = this.withdrawals.find(
      (one) => one.uid === uid && one.isOwn === isOwn && one.steps[0]?.id === requestId,
    );
    if (first !== undefined) {
      const isSame = first.target.addressId === addressId && first.amount === amount;
      return isSame ? done(answerOf(first, "requested"), []) : refused("conflict id");
    }
    const target = this.addresses.find((one) => one.uid === uid && one.addressId === addressId);
    if (target === undefined) return refused("unknown-address addressId");
    const { asset } = target;
    const reasons = this.#broken(uid, target, amount, nowMs);
    if (reasons.length > 0) return refused(...reasons);
    this.#wallets.freeze(uid, asset, amount);
    const withdrawal: NaiveWithdrawal = {
      withdrawalId: this.withdrawals.length + 1,
      ...{ uid, isOwn, target, asset, amount },
      fee: exact(this.rules.get(asset)?.fee ?? "0"),
      steps: [{ id: requestId, state: "requested", note: "", atMs: nowMs }],
    };
    this.withdrawals.push(withdrawal);
    return done(answerOf(withdrawal, "requested"), [changeOf(withdrawal, actor)]);
  }

  #broken(uid: number, { asset, addedMs }: NaiveAddress, amount: bigint, nowMs: number): string[] {
    const rules = this.rules.get(asset);
    const reasons: string[] = [];
    if (amount % (this.#wallets.unitOf(asset) ?? 1n) > 0n) reasons.push("excess-precision amount");
    if (rules?.enabled !== true) return [...reasons, "withdrawals-closed asset"];
    if (this.#wallets.isFrozen(uid)) reasons.push("user-frozen null");
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
    if (this.#wallets.available(uid, asset) < amount) reasons.push("insufficient-balance amount");
    return reasons;
  }

  step(command: Step, nowMs: number): Verdict {
    const { actor, withdrawalId, requestId, state, note } = command;
    const found = this.withdrawals.find((one) => one.withdrawalId === withdrawalId);
    if (found === undefined) return refused("unknown-withdrawal withdrawalId");
    const { uid, asset, amount, fee, steps } = found;
    const first = steps.slice(1).find(({ id }) => id === requestId);
    if (first !== undefined) {
      const isSame = first.state === state && first.note === note;
      return isSame ? done(answerOf(found, state), []) : refused("conflict id");
    }
    if (!NEXT[stateOf(found)]?.includes(state)) return refused("withdrawal-state state");
    if (state === "sent" && note === "") return refused("malformed note");
    if (state === "approved" && this.#wallets.isFrozen(uid)) return refused("user-frozen null");
    steps.push({ id: requestId, state, note, atMs: nowMs });
    const events = [changeOf(found, actor)];
    if (state === "rejected" || state === "failed") this.#wallets.freeze(uid, asset, -amount);
    if (state === "done") {
      this.#wallets.leave(uid, asset, amount, fee);
      events.push(this.#wallets.moved(uid, asset, amount, steps[0]?.id ?? "", "spot", null));
    }
    return done(answerOf(found, state), events);
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

export function refused(...reasons: string[]): Verdict {
  return { ok: false, reasons };
}

export function done(answer: unknown, events: readonly NaiveEvent[]): Verdict {
  return { ok: true, answer, events };
}

/** What an address is, whatever it is called. */
function textOf({ asset, network, address, memo }: Omit<NaiveAddress, "addressId" | "addedMs">) {
  return JSON.stringify([asset, network, address, memo]);
}

function answerOf({ withdrawalId, steps }: NaiveWithdrawal, state: string) {
  return { withdrawalId, state, timestampMs: steps.find((one) => one.state === state)?.atMs };
}

/** The whole of it behind its last step. */
function changeOf(withdrawal: NaiveWithdrawal, actor: string): NaiveEvent {
  const { withdrawalId, uid, asset, amount, fee, steps, target } = withdrawal;
  const { addressId, network, address, memo } = target;
  const [first, last] = [steps[0], steps.at(-1)];
  return {
    type: "withdrawal-changed",
    actor,
    ...{ withdrawalId, uid, asset, addressId, network, address, memo },
    ...{ amount: text(amount), fee: text(fee) },
    requestId: first?.id,
    requestedMs: first?.atMs,
    state: last?.state,
    stepId: last?.id,
    note: last?.note,
    reference: steps.find(({ state }) => state === "sent")?.note ?? "",
  };
}
