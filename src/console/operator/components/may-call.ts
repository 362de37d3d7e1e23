/** Who may make the calls whose buttons are hidden from all others. */
import type { OperatorRole } from "../../../domain/index.ts";

/** Besides administrators; as in the table of the operator API. */
export const ROLES_OF_CALLS = {
  promoteNode: [],
  createWebhook: [],
  updateWebhook: [],
  removeWebhook: [],
  renewWebhookSecret: [],
  testWebhook: ["support", "treasury"],
  redeliverWebhookEvent: ["support", "treasury"],
  reportCustodyBalances: ["treasury"],
} as const satisfies Readonly<Record<string, readonly OperatorRole[]>>;

export function mayCall(role: OperatorRole, call: keyof typeof ROLES_OF_CALLS): boolean {
  const roles: readonly OperatorRole[] = ROLES_OF_CALLS[call];
  return role === "administrator" || roles.includes(role);
}
