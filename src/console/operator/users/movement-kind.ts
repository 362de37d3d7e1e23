/** The ways an operator moves a user's funds. */
export type MovementKind = "deposit" | "withdrawal" | "transfer";

export const MOVEMENT_KINDS = [
  { value: "deposit", text: "Deposit" },
  { value: "withdrawal", text: "Withdraw" },
  { value: "transfer", text: "Transfer" },
] as const;
