/**
 * Access to the operator API by bearer tokens. The token of the data folder is an administrator's,
 * and may name the person who calls; an operator's own token, `name.role.random`, says who it is.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { refuse } from "../api/errors.ts";
import { type OperatorRole, reject } from "../domain/index.ts";
import type { EngineClient } from "../protocol/index.ts";
import { done } from "./answers.ts";
import type { Outcome } from "./call.ts";
import { type Caller, ROOT } from "./caller.ts";
import type { Refused } from "./refusal.ts";

const SCHEME = /^Bearer +([^ ]+) *$/i;
const OPERATOR_TOKEN = /^([a-z][a-z0-9-]{0,31})\.[a-z]+\.[0-9a-f]{64}$/;

/**
 * The caller's name in the audit log. The token of the data folder may be used by several people:
 * `given`, the header `X-Operator`, says who, but never the name of an operator with a token.
 */
export async function actorOf(
  caller: Caller,
  given: string | null,
  method: string,
  engine: EngineClient,
): Promise<Outcome<string>> {
  if (caller !== ROOT || given === null) return done(caller.name);
  if (method === "GET") return done(given);
  const reply = await engine.query({ type: "operators", name: given });
  if (!reply.ok || reply.value.length === 0) return reply.ok ? done(given) : reply;
  return reject("conflict", "X-Operator", `${given} is an operator with a token of its own`);
}

export function refuseRole({ role }: Caller, roles: readonly OperatorRole[]): Refused {
  const needed = [...roles, "administrator"].join(" or ");
  return refuse("role-not-allowed", "authorization", `it needs ${needed}, and yours is ${role}`);
}

/** As the exchange keeps an operator's token. */
export function tokenHash(token: string): string {
  return digest(token).toString("hex");
}

/** Compares digests of equal length: the time reveals neither length nor content of a token. */
export class Authorization {
  readonly #rootToken: () => string;

  /** `rootToken` tells the token of the data folder as it is now. */
  constructor(rootToken: () => string) {
    this.#rootToken = rootToken;
  }

  /**
   * Null for a missing or wrong token. `header` is the value of `Authorization`; `engine` knows the
   * operators.
   */
  async callerOf(
    header: string | undefined,
    engine: EngineClient,
  ): Promise<Outcome<Caller | null>> {
    const token = SCHEME.exec(header ?? "")?.[1] ?? "";
    const given = digest(token);
    if (timingSafeEqual(given, digest(this.#rootToken()))) return done(ROOT);
    const name = OPERATOR_TOKEN.exec(token)?.[1];
    if (name === undefined) return done(null);
    const reply = await engine.query({ type: "operators", name });
    if (!reply.ok) return reply;
    const [operator] = reply.value;
    if (operator === undefined) return done(null);
    const { expiresAtMs, role } = operator;
    const isKnown = timingSafeEqual(given, Buffer.from(operator.tokenHash, "hex"));
    const isExpired = expiresAtMs !== null && expiresAtMs <= reply.timestampMs;
    const isAllowed = isKnown && !isExpired && operator.removedMs === null;
    return done(isAllowed ? { name, role, expiresAt: expiresAtMs } : null);
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
