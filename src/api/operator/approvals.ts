/** The four-eyes rule: what needs a second operator, and what waits for one. */
import { Type } from "typebox";
import { APPROVAL_ACTIONS, DECISIONS, PROPOSAL_STATES } from "../../domain/index.ts";
import {
  Amount,
  AssetName,
  Fields,
  Limit,
  Note,
  Nullable,
  OneOf,
  ProposalId,
  TimestampMs,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Second operator";

const ACTIONS_WITH_RULES = ["withdrawals", "deposits", "operators"] as const;
const State = OneOf([...PROPOSAL_STATES, "expired"] as const);

const Rule = Fields({
  action: OneOf(ACTIONS_WITH_RULES),
  asset: Nullable(AssetName),
  above: Amount,
});

export const setApprovalRule = operatorRoute("setApprovalRule", {
  tag: TAG,
  summary:
    "Need a second operator for withdrawals or deposits of an asset above an amount, or for " +
    "roles and tokens of operators (without asset, above 0); null ends the rule",
  mayWait: true,
  body: Fields({
    action: OneOf(ACTIONS_WITH_RULES),
    asset: Type.Optional(AssetName),
    above: Nullable(Amount),
  }),
  answer: Fields({ items: Type.Array(Rule) }),
});

export const listApprovalRules = operatorRoute("listApprovalRules", {
  tag: TAG,
  summary: "List what needs a second operator; without rules, nothing does",
  answer: Fields({ items: Type.Array(Rule) }),
});

const Proposal = Fields({
  proposalId: ProposalId,
  action: OneOf(APPROVAL_ACTIONS),
  what: Type.String(),
  state: State,
  proposer: Type.String(),
  proposed: TimestampMs,
  expires: TimestampMs,
  decider: Nullable(Type.String()),
  decided: Nullable(TimestampMs),
  note: Type.String(),
});

export const listProposals = operatorRoute("listProposals", {
  tag: TAG,
  summary: "List what waits for a second operator and what was lately decided, newest first",
  query: Fields({ state: Type.Optional(State), limit: Type.Optional(Limit) }),
  answer: Fields({ items: Type.Array(Proposal) }),
});

const OneProposal = Fields({ proposalId: ProposalId });

export const getProposal = operatorRoute("getProposal", {
  tag: TAG,
  summary: "Get a proposal that waits or was lately decided",
  params: OneProposal,
  answer: Proposal,
});

export const decideProposal = operatorRoute("decideProposal", {
  tag: TAG,
  summary:
    "Approve another operator's proposal, which is then carried out, or reject it; needs a role " +
    "that may make the call itself; repeating a decision returns the first response",
  params: OneProposal,
  body: Fields({ decision: OneOf(DECISIONS), note: Type.Optional(Note) }),
  answer: Fields({ proposalId: ProposalId, state: OneOf(PROPOSAL_STATES) }),
});
