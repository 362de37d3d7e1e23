/** The naive list of operators: each as it was set last, and removed ones for good. */
import type { CommandOf } from "../../src/protocol/index.ts";
import { accepted, type NaiveOutcome, refused } from "./naive-accounts.ts";

export interface NaiveOperator {
  readonly name: string;
  readonly role: CommandOf<"set-operator">["role"];
  readonly expiresAtMs: number | null;
  readonly addedMs: number;
  readonly removedMs: number | null;
}

const OPERATORS_MAX = 1_000;

export class NaiveOperators {
  readonly all = new Map<string, NaiveOperator>();

  /** Without a token it keeps the one that it has. */
  set(command: CommandOf<"set-operator">, nowMs: number): NaiveOutcome {
    const { expiresAtMs, name, role, tokenHash } = command;
    const present = this.all.get(name);
    if (present !== undefined && present.removedMs !== null) return refused("conflict");
    if (expiresAtMs !== null && expiresAtMs <= nowMs) return refused("out-of-range");
    const isNew = present === undefined;
    if (isNew && (tokenHash === null || this.all.size >= OPERATORS_MAX)) return refused("conflict");
    const addedMs = present?.addedMs ?? nowMs;
    this.all.set(name, { name, role, expiresAtMs, addedMs, removedMs: null });
    const hasNewToken = tokenHash !== null;
    return accepted(null, [{ type: "operator-set", name, role, hasNewToken, expiresAtMs }]);
  }

  remove({ name }: CommandOf<"remove-operator">, nowMs: number): NaiveOutcome {
    const present = this.all.get(name);
    if (present === undefined) return refused("conflict");
    if (present.removedMs !== null) return accepted(null, []);
    this.all.set(name, { ...present, removedMs: nowMs });
    return accepted(null, [{ type: "operator-removed", name }]);
  }
}
