/** What may need a second operator. */
export const APPROVAL_ACTIONS = ["withdrawals", "deposits", "operators", "approval-rules"] as const;
export type ApprovalAction = (typeof APPROVAL_ACTIONS)[number];

/** A proposal waits until a second operator decides, or until it expires. */
export const PROPOSAL_STATES = ["waiting", "approved", "rejected"] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

export const DECISIONS = ["approved", "rejected"] as const;
export type Decision = (typeof DECISIONS)[number];

/** After this much exchange time a proposal can no longer be decided. */
export const PROPOSAL_LIFE_MS = 24 * 60 * 60 * 1000;
