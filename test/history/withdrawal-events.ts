/** Random withdrawals and deposits for the event streams: begun, and taken from state to state. */
import type { Event, EventOf } from "../../src/protocol/index.ts";
import type { Random } from "../support/random.ts";
import { ASSETS, USERS } from "./listed.ts";

type Changed = EventOf<"withdrawal-changed">;

const FOLLOWING: Readonly<Record<string, readonly Changed["state"][]>> = {
  requested: ["approved", "rejected"],
  approved: ["sent"],
  sent: ["done", "failed"],
};

export class WithdrawalEvents {
  readonly #random: Random;
  readonly #open: Changed[] = [];
  #lastId = 0;
  readonly #pending: EventOf<"deposit-changed">[] = [];
  #lastDepositId = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  command(timestampMs: number): Event[] {
    const random = this.#random;
    if (random.chance(0.1)) return [this.#address(), this.#rules()];
    if (random.chance(0.3)) return [this.#deposit(timestampMs)];
    const at = random.integer(0, this.#open.length - 1);
    const open = this.#open[at];
    if (open === undefined || random.chance(0.4)) return [this.#requested(timestampMs)];
    const state = random.pick(FOLLOWING[open.state] ?? []);
    const note = random.pick(["", "0xabc", "no such address"]);
    const reference = state === "sent" ? note : open.reference;
    const step = { stepId: `s${random.integer(1, 99)}`, actor: "treasury", note, reference };
    const changed: Changed = { ...open, ...step, state };
    if (state in FOLLOWING) this.#open[at] = changed;
    else this.#open.splice(at, 1);
    return [changed];
  }

  #requested(requestedMs: number): Changed {
    const random = this.#random;
    const requestId = `r${++this.#lastId}`;
    const requested: Changed = {
      type: "withdrawal-changed",
      actor: random.pick(["", "support"]),
      withdrawalId: this.#lastId,
      uid: random.pick(USERS),
      requestId,
      asset: random.pick(ASSETS).asset,
      amountMinor: BigInt(random.integer(1_000, 2 ** 40)),
      feeMinor: BigInt(random.integer(0, 999)),
      addressId: random.integer(1, 9),
      network: "main",
      address: `a${random.integer(1, 9)}`,
      memo: random.pick(["", "7"]),
      state: "requested",
      stepId: requestId,
      note: "",
      reference: "",
      requestedMs,
    };
    this.#open.push(requested);
    return requested;
  }

  #deposit(firstMs: number): Event {
    const random = this.#random;
    const at = random.integer(0, this.#pending.length - 1);
    const pending = this.#pending[at];
    if (pending !== undefined && random.chance(0.6)) {
      const state = random.pick(["pending", "credited", "dropped"] as const);
      const changed = { ...pending, state, confirmations: random.integer(0, 9) };
      if (state === "pending") this.#pending[at] = changed;
      else this.#pending.splice(at, 1);
      return { ...changed, actor: state === "pending" ? "" : "watcher" };
    }
    const seen: EventOf<"deposit-changed"> = {
      type: "deposit-changed",
      actor: "watcher",
      depositId: ++this.#lastDepositId,
      uid: random.pick(USERS),
      asset: random.pick(ASSETS).asset,
      amountMinor: BigInt(random.integer(1, 2 ** 40)),
      network: "main",
      transactionId: `0x${this.#lastDepositId}`,
      outputIndex: random.integer(0, 3),
      confirmations: 0,
      required: 6,
      state: "pending",
      firstMs,
    };
    this.#pending.push(seen);
    return seen;
  }

  #address(): Event {
    const random = this.#random;
    return {
      type: random.pick(["withdrawal-address-added", "withdrawal-address-removed"] as const),
      actor: random.pick(["", "support"]),
      addressId: random.integer(1, 9),
      uid: random.pick(USERS),
      asset: random.pick(ASSETS).asset,
      network: "main",
      address: "a1",
      memo: "",
      label: "mine",
    };
  }

  #rules(): Event {
    return {
      type: "withdrawal-rules-set",
      actor: "treasury",
      asset: this.#random.pick(ASSETS).asset,
      enabled: true,
      minAmount: "1",
      fee: "0.5",
      dailyLimit: null,
      addressHoldMs: 0,
      keyHoldMs: 1,
    };
  }
}
