/** The part of the naive model of history that is about withdrawals and deposits. */
import type { Event, EventOf } from "../../src/protocol/index.ts";
import type { HistoryAnswer, HistoryQuestion } from "../../src/queries/index.ts";
import { LISTED, type Listing } from "./listed.ts";

interface Happened {
  readonly event: EventOf<"withdrawal-changed">;
  readonly timeMs: number;
}

export class WithdrawalHistoryModel {
  readonly #changes: Happened[] = [];
  /** The last of each, by id. */
  readonly #deposits = new Map<number, HistoryAnswer<"deposits">[number]>();
  readonly #listing: Listing;

  constructor(listing = LISTED) {
    this.#listing = listing;
  }

  apply(event: Event, timeMs: number): void {
    if (event.type === "deposit-changed") this.#addDeposit(event, timeMs);
    if (event.type === "withdrawal-changed") this.#changes.push({ event, timeMs });
  }

  answers() {
    return {
      deposits: (q: HistoryQuestion<"deposits">) => this.#depositsOf(q),
      deposit: (q: HistoryQuestion<"deposit">) => this.#deposits.get(q.depositId) ?? null,
      withdrawals: (q: HistoryQuestion<"withdrawals">) => this.#list(q),
      withdrawal: (q: HistoryQuestion<"withdrawal">) => this.#one(q),
    };
  }

  #addDeposit(event: EventOf<"deposit-changed">, changedMs: number): void {
    const { type: _, actor: __, amountMinor, ...terms } = event;
    const amount = this.#listing.units(amountMinor, event.asset);
    const firstMs = this.#deposits.get(event.depositId)?.firstMs ?? changedMs;
    this.#deposits.set(event.depositId, { ...terms, amount, firstMs, changedMs });
  }

  #depositsOf(q: HistoryQuestion<"deposits">): HistoryAnswer<"deposits"> {
    const { beforeDepositId: before } = q;
    const found = [...this.#deposits.values()]
      .filter(({ depositId }) =>
        before === null ? depositId > q.afterDepositId : depositId < before,
      )
      .filter(({ uid }) => q.uid === null || uid === q.uid)
      .filter(({ state }) => q.state === null || state === q.state)
      .sort((one, other) => one.depositId - other.depositId);
    return (before === null ? found : found.reverse()).slice(0, q.limit);
  }

  #list(q: HistoryQuestion<"withdrawals">): HistoryAnswer<"withdrawals"> {
    const { beforeWithdrawalId: before } = q;
    const ids = [...new Set(this.#changes.map(({ event }) => event.withdrawalId))];
    const found = ids
      .filter((id) => (before === null ? id > q.afterWithdrawalId : id < before))
      .map((id) => this.#entry(id))
      .filter((entry) => q.uid === null || entry.uid === q.uid)
      .filter((entry) => q.state === null || entry.state === q.state)
      .sort((one, other) => one.withdrawalId - other.withdrawalId);
    return (before === null ? found : found.reverse()).slice(0, q.limit);
  }

  #one({ withdrawalId, uid }: HistoryQuestion<"withdrawal">): HistoryAnswer<"withdrawal"> {
    const steps = this.#of(withdrawalId);
    if (steps.length === 0 || (uid !== null && steps[0]?.event.uid !== uid)) return null;
    return {
      ...this.#entry(withdrawalId),
      steps: steps.map(({ event: { stepId, state, actor, note }, timeMs }) => {
        return { stepId, state, actor, note, timeMs };
      }),
    };
  }

  #of(withdrawalId: number): Happened[] {
    return this.#changes.filter(({ event }) => event.withdrawalId === withdrawalId);
  }

  #entry(withdrawalId: number): HistoryAnswer<"withdrawals">[number] {
    const steps = this.#of(withdrawalId);
    const [first, last] = [steps[0], steps.at(-1)];
    if (first === undefined || last === undefined) throw new Error("no such withdrawal");
    const { uid, requestId, asset, amountMinor, feeMinor, addressId } = first.event;
    const { network, address, memo } = first.event;
    return {
      ...{ withdrawalId, uid, requestId, asset, addressId, network, address, memo },
      amount: this.#listing.units(amountMinor, asset),
      fee: this.#listing.units(feeMinor, asset),
      state: last.event.state,
      reference: steps.find(({ event }) => event.state === "sent")?.event.note ?? "",
      requestedMs: first.timeMs,
      changedMs: last.timeMs,
    };
  }
}
