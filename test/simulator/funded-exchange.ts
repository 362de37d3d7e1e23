/**
 * The naive exchange with money that comes from networks and leaves for them: naive withdrawals and
 * deposits move its spot wallets, and what a withdrawal has frozen no order can use. What one
 * operator may not do alone waits in a naive list, and so are webhooks, operators and the last
 * report of custody kept.
 */
import type { RejectReason } from "../../src/domain/index.ts";
import type { Command } from "../../src/protocol/index.ts";
import { NaiveContractExchange } from "../models/contract/naive-contract-exchange.ts";
import { naiveContractTotals } from "../models/contract/naive-contract-views.ts";
import type { NaiveOutcome } from "../models/naive-accounts.ts";
import { NaiveApprovals } from "../models/naive-approvals.ts";
import { NaiveCustody } from "../models/naive-custody.ts";
import { NaiveDeposits } from "../models/naive-deposits.ts";
import { NaiveOperators } from "../models/naive-operators.ts";
import { minorUnit } from "../models/naive-rules.ts";
import type { NaiveWallets } from "../models/naive-wallets.ts";
import { NaiveWebhooks } from "../models/naive-webhooks.ts";
import { NaiveWithdrawals, type Verdict } from "../models/naive-withdrawals.ts";
import { text } from "../support/exact.ts";

export class FundedExchange extends NaiveContractExchange {
  /** By `<uid> <asset>`, in 10^-18. */
  readonly #frozen = new Map<string, bigint>();
  /** What came to spot wallets from networks, less what left for them. */
  readonly #arrived = new Map<string, bigint>();
  /** By the command that began a cascade: the last of those that continued it. */
  readonly #lastSlices = new Map<number, number>();
  readonly operators = new NaiveOperators();
  readonly withdrawals = new NaiveWithdrawals(this.#wallets());
  readonly deposits = new NaiveDeposits(this.#wallets());
  readonly approvals = new NaiveApprovals({
    unitOf: (asset) => this.#unitOf(asset),
    hasUser: (uid) => this.users.has(uid),
    hasMoved: (command) => "requestId" in command && "wallet" in command && this.hasMoved(command),
    withdrawalOf: (id) => this.withdrawals.withdrawals[id - 1],
    apply: (command, nowMs) => this.apply(command, nowMs),
  });

  readonly webhooks = new NaiveWebhooks((uid) => this.users.has(uid));
  readonly custody = new NaiveCustody({
    assets: () => [...this.assets.keys()],
    unitOf: (asset) => this.#unitOf(asset),
    totals: (asset) => naiveContractTotals(this, asset),
    withdrawals: () => this.withdrawals.withdrawals,
  });

  /** A cascade of the last command goes on in this one of the journal. */
  continued(sequence: number): void {
    this.#lastSlices.set(this.sequence, sequence);
  }

  /** The last command of the cascade that this one began. */
  lastSliceOf(sequence: number): number {
    return this.#lastSlices.get(sequence) ?? sequence;
  }

  override frozen(uid: number, asset: string): bigint {
    return super.frozen(uid, asset) + this.frozenForWithdrawals(uid, asset);
  }

  frozenForWithdrawals(uid: number, asset: string): bigint {
    return this.#frozen.get(`${uid} ${asset}`) ?? 0n;
  }

  arrived(uid: number, asset: string): bigint {
    return this.#arrived.get(`${uid} ${asset}`) ?? 0n;
  }

  wasMoved(action: "deposits" | "withdrawals", uid: number, requestId: string): boolean {
    const type = action === "deposits" ? "deposit-funds" : "withdraw-funds";
    return this.hasMoved({ type, uid, requestId });
  }

  /** What is done for a reason tells it behind everything else, unless nothing has changed. */
  override carryOut(command: Command, nowMs: number, sequence: number): NaiveOutcome {
    if (command.type !== "do-for-reason") return super.carryOut(command, nowMs, sequence);
    const outcome = super.carryOut(command.command, nowMs, sequence);
    if (!outcome.ok || outcome.events.length === 0) return outcome;
    const { reason } = command;
    return { ...outcome, events: [...outcome.events, { type: "reason-given", reason }] };
  }

  override apply(command: Command, nowMs: number): NaiveOutcome {
    const governed = this.#governed(command, nowMs);
    if (governed !== null) return governed;
    const verdict = this.#verdict(command, nowMs);
    if (verdict !== null) return outcomeOf(verdict);
    const outcome = super.apply(command, nowMs);
    if (command.type === "set-api-key" && outcome.ok) {
      this.withdrawals.changeKey(command.uid, nowMs);
    }
    return outcome;
  }

  #governed(command: Command, nowMs: number): NaiveOutcome | null {
    switch (command.type) {
      case "set-operator":
        return this.operators.set(command, nowMs);
      case "remove-operator":
        return this.operators.remove(command, nowMs);
      case "report-custody":
        return this.custody.report(command, nowMs);
      case "set-approval-rule":
        return this.approvals.setRule(command);
      case "propose":
        return this.approvals.propose(command, nowMs);
      case "decide-proposal":
        return this.approvals.decide(command, nowMs);
      case "set-webhook":
        return this.webhooks.set(command, nowMs);
      case "remove-webhook":
        return this.webhooks.remove(command);
      default:
        return null;
    }
  }

  #verdict(command: Command, nowMs: number): Verdict | null {
    switch (command.type) {
      case "set-withdrawal-rules":
        return this.withdrawals.setRules(command);
      case "add-withdrawal-address":
        return this.withdrawals.addAddress(command, nowMs);
      case "remove-withdrawal-address":
        return this.withdrawals.removeAddress(command);
      case "request-withdrawal":
        return this.withdrawals.request(command, nowMs);
      case "set-withdrawal-state":
        return this.withdrawals.step(command, nowMs);
      case "cancel-withdrawal":
        return this.withdrawals.cancel(command, nowMs);
      case "set-deposit-rules":
        return this.deposits.setRules(command);
      case "report-deposit":
        return this.deposits.report(command, nowMs);
      case "drop-deposit":
        return this.deposits.drop(command);
      default:
        return null;
    }
  }

  #unitOf(asset: string): bigint | null {
    const scale = this.assets.get(asset)?.scale;
    return scale === undefined ? null : minorUnit(scale);
  }

  #wallets(): NaiveWallets {
    const arrive = (uid: number, asset: string, amount: bigint) => {
      this.addEquity(uid, "spot", asset, amount);
      this.#arrived.set(`${uid} ${asset}`, this.arrived(uid, asset) + amount);
    };
    const freeze = (uid: number, asset: string, amount: bigint) => {
      const frozen = this.frozenForWithdrawals(uid, asset) + amount;
      this.#frozen.set(`${uid} ${asset}`, frozen);
    };
    return {
      hasUser: (uid) => this.users.has(uid),
      isFrozen: (uid) => this.users.get(uid)?.state === "frozen",
      unitOf: (asset) => this.#unitOf(asset),
      available: (uid, asset) => this.available(uid, asset),
      freeze,
      leave: (uid, asset, amount, fee) => {
        freeze(uid, asset, -amount);
        arrive(uid, asset, -amount);
        this.addHouse("external", asset, amount - fee);
        this.addHouse("fees", asset, fee);
      },
      arrive: (uid, asset, amount) => {
        arrive(uid, asset, amount);
        this.addHouse("external", asset, -amount);
      },
      moved: (uid, asset, amount, requestId, from, to) => {
        const [spot, contract] = (["spot", "contract"] as const).map((wallet) => {
          return text(this.equity(uid, wallet, asset));
        });
        const terms = { requestId, uid, asset, amount: text(amount), from, to };
        return { type: "funds-moved", ...terms, spotEquity: spot, contractEquity: contract };
      },
    };
  }
}

function outcomeOf(verdict: Verdict): NaiveOutcome {
  if (verdict.ok) return { ok: true, value: verdict.answer, events: verdict.events };
  const reasons = verdict.reasons.map((reason) => reason.split(" ")[0] as RejectReason);
  return { ok: false, reasons: new Set(reasons) };
}
