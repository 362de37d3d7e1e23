/**
 * The naive list of reported deposits: each report is looked up among all that ever was, and the
 * money arrives with the first that has enough confirmations. Shares nothing with the engine.
 */
import type { CommandOf } from "../../src/protocol/index.ts";
import { exact, text } from "../support/exact.ts";
import type { NaiveEvent } from "./naive-accounts.ts";
import type { NaiveWallets } from "./naive-wallets.ts";
import { done, refused, type Verdict } from "./naive-withdrawals.ts";

export interface NaiveDeposit {
  readonly depositId: number;
  readonly uid: number;
  readonly asset: string;
  readonly amount: bigint;
  readonly network: string;
  readonly transactionId: string;
  readonly outputIndex: number;
  readonly firstMs: number;
  confirmations: number;
  state: "pending" | "credited" | "dropped";
}

const CONFIRMATIONS_MAX = 10_000;

export class NaiveDeposits {
  readonly deposits: NaiveDeposit[] = [];
  /** Confirmations that are needed, by asset and network. */
  readonly required = new Map<string, number>();
  readonly #wallets: NaiveWallets;

  constructor(wallets: NaiveWallets) {
    this.#wallets = wallets;
  }

  setRules(command: CommandOf<"set-deposit-rules">): Verdict {
    const { actor, asset, network, confirmations } = command;
    if (this.#wallets.unitOf(asset) === null) return refused("unknown-asset asset");
    if (confirmations > CONFIRMATIONS_MAX) return refused("out-of-range confirmations");
    const key = `${asset} ${network}`;
    if (this.required.get(key) === confirmations) return done(null, []);
    this.required.set(key, confirmations);
    return done(null, [{ type: "deposit-rules-set", actor, asset, network, confirmations }]);
  }

  report(command: CommandOf<"report-deposit">, nowMs: number): Verdict {
    const { actor, asset, confirmations, network, outputIndex, transactionId, uid } = command;
    const unit = this.#wallets.unitOf(asset);
    if (!this.#wallets.hasUser(uid)) return refused("unknown-user uid");
    if (unit === null) return refused("unknown-asset asset");
    const amount = exact(command.amount);
    if (amount % unit > 0n) return refused("excess-precision amount");
    if (amount === 0n) return refused("out-of-range amount");
    // One that was dropped never was.
    const known = this.deposits.find(
      (one) =>
        one.state !== "dropped" &&
        one.network === network &&
        one.transactionId === transactionId &&
        one.outputIndex === outputIndex,
    );
    if (known !== undefined) {
      const isSame = known.uid === uid && known.asset === asset && known.amount === amount;
      if (!isSame) return refused("conflict transactionId");
      if (known.state === "credited") return done(answerOf(known), []);
    }
    const required = this.required.get(`${asset} ${network}`);
    if (required === undefined) return refused("deposits-closed network");
    const isEnough = confirmations >= required;
    if (known?.confirmations === confirmations && !isEnough) return done(answerOf(known), []);
    const deposit = known ?? {
      depositId: this.deposits.length + 1,
      ...{ uid, asset, amount, network, transactionId, outputIndex },
      ...{ firstMs: nowMs, confirmations, state: "pending" as const },
    };
    if (known === undefined) this.deposits.push(deposit);
    deposit.confirmations = confirmations;
    if (isEnough) deposit.state = "credited";
    const isNews = known === undefined || isEnough;
    const events = [this.#changeOf(deposit, isNews ? actor : "")];
    if (isEnough) {
      this.#wallets.arrive(uid, asset, amount);
      const id = `deposit-${deposit.depositId}`;
      events.push(this.#wallets.moved(uid, asset, amount, id, null, "spot"));
    }
    return done(answerOf(deposit), events);
  }

  drop({ actor, depositId }: CommandOf<"drop-deposit">): Verdict {
    const found = this.deposits.find((one) => one.depositId === depositId);
    if (found?.state !== "pending") return refused("unknown-deposit depositId");
    found.state = "dropped";
    return done(answerOf(found), [this.#changeOf(found, actor)]);
  }

  #changeOf(deposit: NaiveDeposit, actor: string): NaiveEvent {
    const { amount, asset, network, ...terms } = deposit;
    const required = this.required.get(`${asset} ${network}`) ?? 0;
    const of = { asset, network, amount: text(amount), required };
    return { type: "deposit-changed", actor, ...terms, ...of };
  }
}

function answerOf({ depositId, state }: NaiveDeposit) {
  return { depositId, state };
}
