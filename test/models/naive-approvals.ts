/**
 * The naive list of what waits for a second operator: every proposal kept, every rule looked up by
 * walking all of them. Shares nothing with the engine.
 */
import { PROPOSAL_LIFE_MS } from "../../src/domain/index.ts";
import type { CommandOf, ProposedCommand } from "../../src/protocol/index.ts";
import { exact, text } from "../support/exact.ts";
import { accepted, type NaiveOutcome, refused } from "./naive-accounts.ts";
import { type NaiveWithdrawal, stateOf } from "./naive-withdrawals.ts";

/** What approvals ask of the rest of the exchange. */
export interface NaiveGoverned {
  readonly unitOf: (asset: string) => bigint | null;
  readonly hasUser: (uid: number) => boolean;
  /** Whether the movement of that id was made. */
  readonly hasMoved: (command: ProposedCommand) => boolean;
  readonly withdrawalOf: (withdrawalId: number) => NaiveWithdrawal | undefined;
  readonly apply: (command: ProposedCommand, nowMs: number) => NaiveOutcome;
}

export interface NaiveProposal {
  readonly proposalId: number;
  readonly command: ProposedCommand;
  /** As a sentence. */
  readonly what: string;
  readonly proposer: string;
  readonly actor: string;
  readonly proposedMs: number;
  state: "waiting" | "approved" | "rejected";
  decider: string | null;
  decidedMs: number | null;
  note: string;
  /** Expired, and somebody has proposed something since. */
  isForgotten: boolean;
}

export class NaiveApprovals {
  readonly proposals: NaiveProposal[] = [];
  /** In 10^-18, by `<action> <asset>`. */
  readonly rules = new Map<string, bigint>();
  /** How often rules have changed. */
  ruleChanges = 0;
  readonly #exchange: NaiveGoverned;

  constructor(exchange: NaiveGoverned) {
    this.#exchange = exchange;
  }

  setRule({ action, above, asset }: CommandOf<"set-approval-rule">): NaiveOutcome {
    const key = `${action} ${asset}`;
    const event = { type: "approval-rule-set", action, asset, above };
    if (above === null) {
      if (!this.rules.delete(key)) return accepted(null, []);
      this.ruleChanges++;
      return accepted(null, [event]);
    }
    if (action !== "deposits" && action !== "withdrawals") return refused("malformed");
    const unit = this.#exchange.unitOf(asset);
    if (unit === null) return refused("unknown-asset");
    const amount = exact(above);
    if (amount % unit > 0n) return refused("excess-precision");
    if (this.rules.get(key) === amount) return accepted(null, []);
    this.rules.set(key, amount);
    this.ruleChanges++;
    return accepted(null, [event]);
  }

  /** Whether one operator alone may not do it. */
  needs(command: ProposedCommand): boolean {
    switch (command.type) {
      case "set-approval-rule":
        return this.rules.size > 0;
      case "deposit-funds":
      case "withdraw-funds": {
        const { amount, asset, type, uid } = command;
        const action = type === "deposit-funds" ? "deposits" : "withdrawals";
        const above = this.rules.get(`${action} ${asset}`);
        const unit = this.#exchange.unitOf(asset);
        if (above === undefined || unit === null || !this.#exchange.hasUser(uid)) return false;
        const isGood = exact(amount) % unit === 0n && !this.#exchange.hasMoved(command);
        return isGood && exact(amount) > above;
      }
      case "set-withdrawal-state": {
        const found = this.#exchange.withdrawalOf(command.withdrawalId);
        if (found === undefined || stateOf(found) !== "requested") return false;
        const above = this.rules.get(`withdrawals ${found.asset}`);
        return command.state === "approved" && above !== undefined && found.amount > above;
      }
      default:
        throw new Error(`nobody proposes ${command.type} here`);
    }
  }

  #whatOf(command: ProposedCommand): string {
    if (command.type !== "set-withdrawal-state") return whatOf(command);
    const { withdrawalId } = command;
    const found = this.#exchange.withdrawalOf(withdrawalId);
    if (found === undefined) return `approve withdrawal ${withdrawalId}`;
    const { amount, asset, target, uid } = found;
    const terms = `${text(amount)} ${asset} of user ${uid} to ${target.address}`;
    return `approve withdrawal ${withdrawalId}: ${terms} (${target.network})`;
  }

  propose(request: CommandOf<"propose">, nowMs: number): NaiveOutcome {
    const { actor, command, proposer } = request;
    if (!this.needs(command)) return refused("conflict");
    const same = this.proposals.find((one) => {
      const isWaiting = one.state === "waiting" && !hasExpired(one, nowMs);
      return isWaiting && one.proposer === proposer && textOf(one.command) === textOf(command);
    });
    if (same !== undefined) return accepted(answerOf(same), []);
    for (const one of this.proposals) {
      one.isForgotten ||= one.state === "waiting" && hasExpired(one, nowMs);
    }
    const proposal: NaiveProposal = {
      ...{ proposalId: this.proposals.length + 1, command, proposer, actor, proposedMs: nowMs },
      what: this.#whatOf(command),
      ...{ state: "waiting", decider: null, decidedMs: null, note: "", isForgotten: false },
    };
    this.proposals.push(proposal);
    return accepted(answerOf(proposal), [changeOf(proposal)]);
  }

  decide(request: CommandOf<"decide-proposal">, nowMs: number): NaiveOutcome {
    const { actor, decider, decision, note, proposalId } = request;
    const found = this.proposals.find((one) => one.proposalId === proposalId);
    if (found === undefined || found.isForgotten) return refused("conflict");
    const isRepeat = found.state === decision && found.decider === decider;
    if (isRepeat) return accepted(answerOf(found), []);
    const isOpen = found.state === "waiting" && !hasExpired(found, nowMs);
    if (!isOpen || found.proposer === decider) return refused("conflict");
    const both = `${found.actor} and ${actor}`;
    const outcome =
      decision === "approved"
        ? this.#exchange.apply({ ...found.command, actor: both }, nowMs)
        : accepted(null, []);
    if (!outcome.ok) return outcome;
    Object.assign(found, { state: decision, decider, decidedMs: nowMs, note });
    return accepted(answerOf(found), [...outcome.events, changeOf(found)]);
  }
}

/** From the end of its life on nobody decides it. */
function hasExpired({ proposedMs }: NaiveProposal, nowMs: number): boolean {
  return nowMs - proposedMs >= PROPOSAL_LIFE_MS;
}

export function actionOf({ type }: ProposedCommand): string {
  if (type === "set-approval-rule") return "approval-rules";
  return type === "deposit-funds" ? "deposits" : "withdrawals";
}

function whatOf(command: ProposedCommand): string {
  switch (command.type) {
    case "deposit-funds":
      return `deposit ${command.amount} ${command.asset} into ${placeOf(command)}`;
    case "withdraw-funds":
      return `withdraw ${command.amount} ${command.asset} from ${placeOf(command)}`;
    case "set-approval-rule": {
      const { above, action, asset } = command;
      const of = `${action} of ${asset}`;
      if (above === null) return `need no second operator for ${of}`;
      return `need a second operator for ${of} above ${above}`;
    }
    default:
      throw new Error(`nobody proposes ${command.type} here`);
  }
}

function placeOf({ requestId, uid, wallet }: CommandOf<"deposit-funds" | "withdraw-funds">) {
  return `the ${wallet} wallet of user ${uid} (id ${requestId})`;
}

/** The same, whoever says it. */
function textOf(command: ProposedCommand): string {
  return JSON.stringify({ ...command, actor: "" });
}

function answerOf({ proposalId, proposedMs, state }: NaiveProposal) {
  return { proposalId, state, expiresMs: proposedMs + PROPOSAL_LIFE_MS };
}

function changeOf({ command, note, proposalId, proposer, state, what }: NaiveProposal) {
  const terms = { proposalId, proposer, state, action: actionOf(command), what };
  return { type: "proposal-changed", ...terms, note };
}
