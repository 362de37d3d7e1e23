/** The life of a reported deposit: pending → credited, or dropped when it will never arrive. */
export const DEPOSIT_STATES = ["pending", "credited", "dropped"] as const;
export type DepositState = (typeof DEPOSIT_STATES)[number];
