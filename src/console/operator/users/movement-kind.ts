/** The three ways in which an operator moves a user's money. */
export type MovementKind = "deposit" | "withdrawal" | "transfer";

export const MOVEMENT_KINDS = [
  { value: "deposit", text: "Deposit" },
  { value: "withdrawal", text: "Withdraw" },
  { value: "transfer", text: "Transfer" },
] as const;
