/** Rules and proposals in the state's canonical form; absent where there are none. */
import { PROPOSAL_STATES } from "../../domain/index.ts";
import { big, choice, proposedCommand, record, text, uint } from "../../protocol/index.ts";
import { section } from "../snapshot-section.ts";

const metaRow = record(90, "approval-meta", { nextProposalId: uint });

const META = section({
  name: "approval-meta",
  codec: metaRow,
  optional: true,
  *rowsOf({ approvals: { nextProposalId } }) {
    if (nextProposalId > 1) yield { type: "approval-meta", nextProposalId } as const;
  },
  restore({ approvals }, { nextProposalId }) {
    approvals.nextProposalId = nextProposalId;
  },
});

const ruleRow = record(91, "approval-rule", { key: text, aboveMinor: big });

const RULES = section({
  name: "approval-rules",
  codec: ruleRow,
  optional: true,
  *rowsOf({ approvals: { aboveMinor } }) {
    for (const key of [...aboveMinor.keys()].sort()) {
      yield { type: "approval-rule", key, aboveMinor: aboveMinor.get(key) ?? 0n } as const;
    }
  },
  restore({ approvals }, { key, aboveMinor }) {
    approvals.aboveMinor.set(key, aboveMinor);
  },
});

const proposalRow = record(92, "proposal", {
  proposalId: uint,
  command: proposedCommand,
  what: text,
  proposer: text,
  actor: text,
  proposedMs: uint,
  state: choice(PROPOSAL_STATES),
  decider: text,
  note: text,
  decidedMs: uint,
});

/** Waiting ones first, then decided ones in the order in which they will be forgotten. */
const PROPOSALS = section({
  name: "proposals",
  codec: proposalRow,
  optional: true,
  *rowsOf({ approvals: { waiting, decided } }) {
    for (const proposal of waiting.values()) yield { type: "proposal", ...proposal } as const;
    for (const proposal of decided.values()) yield { type: "proposal", ...proposal } as const;
  },
  restore({ approvals }, { type: _, ...proposal }) {
    if (proposal.state === "waiting") approvals.waiting.set(proposal.proposalId, proposal);
    else approvals.addDecided(proposal);
  },
});

export const APPROVAL_SECTIONS = [META, RULES, PROPOSALS] as const;
