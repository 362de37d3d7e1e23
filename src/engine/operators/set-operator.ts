/** The commands that change operators. */
import { accept, type Result, reject } from "../../domain/index.ts";
import type { CommandOf } from "../../protocol/index.ts";
import type { Context } from "../state.ts";

/** Removed ones included. */
const OPERATORS_MAX = 1_000;

/** Adds an operator, or changes one; a null digest keeps the token. */
export function setOperator(context: Context, command: CommandOf<"set-operator">): Result<null> {
  const { operators } = context.state;
  const { actor, name, role, tokenHash, expiresAtMs } = command;
  const present = operators.get(name);
  if (present !== undefined && present.removedMs !== null) {
    return reject("conflict", "name", `${name} was removed, and the name is not used again`);
  }
  if (expiresAtMs !== null && expiresAtMs <= context.nowMs) {
    return reject("out-of-range", "expiresAt", `after ${context.nowMs}`);
  }
  if (present !== undefined) {
    Object.assign(present, { role, tokenHash: tokenHash ?? present.tokenHash, expiresAtMs });
  } else if (tokenHash === null) {
    return reject("conflict", "name", `there is no operator ${name}`);
  } else if (operators.size >= OPERATORS_MAX) {
    return reject("conflict", null, `at most ${OPERATORS_MAX} operators, removed ones included`);
  } else {
    const addedMs = context.nowMs;
    operators.set(name, { name, role, tokenHash, expiresAtMs, addedMs, removedMs: null });
  }
  const hasNewToken = tokenHash !== null;
  context.emit({ type: "operator-set", actor, name, role, hasNewToken, expiresAtMs });
  return accept(null);
}

/** The token is rejected from now on. */
export function removeOperator(
  context: Context,
  { actor, name }: CommandOf<"remove-operator">,
): Result<null> {
  const present = context.state.operators.get(name);
  if (present === undefined) return reject("conflict", "name", `there is no operator ${name}`);
  if (present.removedMs !== null) return accept(null);
  present.removedMs = context.nowMs;
  context.emit({ type: "operator-removed", actor, name });
  return accept(null);
}
