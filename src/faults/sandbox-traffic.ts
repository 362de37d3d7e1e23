/**
 * A gateway's part of the sandbox: the rules that its traffic meets, what it holds back for them,
 * and its log of requests. A gateway has none outside a sandbox.
 */
import type { LoggedRequest } from "../api/operator/faults.ts";
import type { Platform } from "../platform/index.ts";
import { FaultMemory } from "./fault-memory.ts";
import { FaultRules, type PlacedRule } from "./fault-rules.ts";
import { HeldWork } from "./held-work.ts";
import { RequestLog, type RequestQuestion } from "./request-log.ts";

/** What the operator's side asks of every gateway. */
export type TrafficCall =
  | { readonly kind: "rules"; readonly rules: readonly PlacedRule[] }
  | { readonly kind: "requests"; readonly question: RequestQuestion }
  /** Whether everything so far has left on the streams; waits for it. */
  | { readonly kind: "quiet" };

/** Requests for `requests`; for `quiet` whether it is. */
export type TrafficAnswer = readonly LoggedRequest[] | boolean;

export class SandboxTraffic {
  readonly rules: FaultRules;
  readonly log: RequestLog;
  readonly held: HeldWork;

  constructor(memory: SharedArrayBuffer, { clock, scheduler }: Platform) {
    const counts = new FaultMemory(memory);
    this.rules = new FaultRules(counts, () => clock.monotonicMs());
    this.log = new RequestLog(counts);
    this.held = new HeldWork(scheduler);
  }
}
