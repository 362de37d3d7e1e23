/** Who makes a call, and what its role allows. */
import type { OperatorRole } from "../domain/index.ts";

export interface Caller {
  readonly name: string;
  readonly role: OperatorRole;
  readonly expiresAt: number | null;
}

/** Who calls with the token of the data folder. */
export const ROOT: Caller = { name: "operator", role: "administrator", expiresAt: null };

/** Besides administrators, the listed roles. */
export function mayCall({ role }: Caller, roles: readonly OperatorRole[]): boolean {
  return role === "administrator" || roles.includes(role);
}
