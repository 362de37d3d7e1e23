/** The life of a withdrawal: requested → approved or rejected; approved → sent → done or failed. */
export const WITHDRAWAL_STATES = [
  "requested",
  "approved",
  "rejected",
  "sent",
  "done",
  "failed",
] as const;
export type WithdrawalState = (typeof WITHDRAWAL_STATES)[number];

/** The states to which an operator takes a withdrawal. */
export const WITHDRAWAL_STEPS = ["approved", "rejected", "sent", "done", "failed"] as const;
export type WithdrawalStep = (typeof WITHDRAWAL_STEPS)[number];

/** The state from which each step is possible. */
export const STATE_BEFORE: Readonly<Record<WithdrawalStep, WithdrawalState>> = {
  approved: "requested",
  rejected: "requested",
  sent: "approved",
  done: "sent",
  failed: "sent",
};
