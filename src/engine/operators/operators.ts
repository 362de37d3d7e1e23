/**
 * People and programs that run the exchange, each with a role and a token of its own. Only the
 * token's digest is here. A removed operator is kept, so that nobody else gets the name under which
 * the audit log knows him.
 */
import type { OperatorRole } from "../../domain/index.ts";
import type { OperatorView } from "../../protocol/index.ts";

export interface Operator {
  readonly name: string;
  role: OperatorRole;
  /** SHA-256 of the token as lower-case hex. */
  tokenHash: string;
  /** From then on the token is rejected; null for never. */
  expiresAtMs: number | null;
  readonly addedMs: number;
  /** Null while the operator may call. */
  removedMs: number | null;
}

/** By name; none or one when a name is given. */
export function operatorViews(
  operators: ReadonlyMap<string, Operator>,
  name: string | null,
): OperatorView[] {
  if (name === null) {
    return [...operators.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }
  const operator = operators.get(name);
  return operator === undefined ? [] : [operator];
}
