/** All state of the four-eyes rule: one part of the exchange's state. */
import type { ApprovalAction, ProposalState } from "../../domain/index.ts";
import type { ProposedCommand } from "../../protocol/index.ts";

export interface Proposal {
  readonly proposalId: number;
  /** What is executed when it is approved. */
  readonly command: ProposedCommand;
  /** The same as a sentence; it must still hold when it is approved. */
  readonly what: string;
  /** Whose token it was: nobody decides the own proposal. */
  readonly proposer: string;
  /** The proposer's name in the audit log. */
  readonly actor: string;
  readonly proposedMs: number;
  state: ProposalState;
  /** "" while it waits, like the note. */
  decider: string;
  note: string;
  /** 0 while it waits. */
  decidedMs: number;
}

export const WAITING_MAX = 1_000;
/** Decided ones are kept to answer repeated decisions; the oldest are forgotten first. */
const DECIDED_MAX = 1_000;

export class Approvals {
  nextProposalId = 1;
  /** The amount up to which one operator is enough, by `ruleKey`. */
  readonly aboveMinor = new Map<string, bigint>();
  /** By id, in the order in which they were proposed. */
  readonly waiting = new Map<number, Proposal>();
  /** By id, in the order in which they were decided. */
  readonly decided = new Map<number, Proposal>();

  find(proposalId: number): Proposal | undefined {
    return this.waiting.get(proposalId) ?? this.decided.get(proposalId);
  }

  addDecided(proposal: Proposal): void {
    this.decided.set(proposal.proposalId, proposal);
    if (this.decided.size <= DECIDED_MAX) return;
    for (const oldest of this.decided.keys()) {
      this.decided.delete(oldest);
      return;
    }
  }
}

/** The key of `aboveMinor`; operators have no asset. */
export function ruleKey(action: ApprovalAction, asset: string): string {
  return `${action} ${asset}`;
}
