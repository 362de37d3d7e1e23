/**
 * The operator's side of the rules: keeps them in their order, tells every gateway of a change
 * before the change is answered, and counts hits over all gateways.
 */
import type { LoggedRequest } from "../api/operator/faults.ts";
import { FAULT_RULES_MAX } from "../api/operator/faults.ts";
import type { FaultMemory } from "./fault-memory.ts";
import type { PlacedRule } from "./fault-rules.ts";
import { mergeRequests, type RequestQuestion } from "./request-log.ts";
import type { TrafficAnswer, TrafficCall } from "./sandbox-traffic.ts";

export interface RuleSettings extends Pick<PlacedRule, "id" | "match" | "when" | "seed" | "fault"> {
  readonly expiresMs: number | null;
}

export interface RuleView extends RuleSettings {
  readonly hits: number;
}

interface KeptRule extends RuleSettings {
  readonly slot: number;
  readonly endsAtMs: number | null;
}

export interface RegistryPorts {
  readonly memory: FaultMemory;
  readonly monotonicMs: () => number;
  /** Asks every gateway, and resolves with their answers. */
  readonly callGateways: (call: TrafficCall) => Promise<readonly TrafficAnswer[]>;
}

/** Changes are made one at a time: the caller sees to that. */
export class FaultRegistry {
  readonly #ports: RegistryPorts;
  readonly #rules = new Map<string, KeptRule>();

  constructor(ports: RegistryPorts) {
    this.#ports = ports;
  }

  /** Null when there are too many. A rule of the same id keeps its place and counts anew. */
  async set(settings: RuleSettings): Promise<RuleView | null> {
    this.#dropEnded();
    const isNew = !this.#rules.has(settings.id);
    if (isNew && this.#rules.size >= FAULT_RULES_MAX) return null;
    const { memory, monotonicMs } = this.#ports;
    const slot = this.#freeSlot();
    memory.clear(slot);
    const { expiresMs } = settings;
    const endsAtMs = expiresMs === null ? null : monotonicMs() + expiresMs;
    const rule = { ...settings, slot, endsAtMs };
    this.#rules.set(settings.id, rule);
    await this.#tell();
    return this.#viewOf(rule);
  }

  list(): RuleView[] {
    this.#dropEnded();
    return [...this.#rules.values()].map((rule) => this.#viewOf(rule));
  }

  /** The rule as it was; null when there is none. */
  async remove(id: string): Promise<RuleView | null> {
    this.#dropEnded();
    const rule = this.#rules.get(id);
    if (rule === undefined) return null;
    this.#rules.delete(id);
    await this.#tell();
    return this.#viewOf(rule);
  }

  /** Returns how many there were. */
  async clear(): Promise<number> {
    this.#dropEnded();
    const removed = this.#rules.size;
    this.#rules.clear();
    await this.#tell();
    return removed;
  }

  /** Of those that were answered before the call; oldest first. */
  async requests(
    question: Omit<RequestQuestion, "upTo">,
  ): Promise<{ readonly items: LoggedRequest[]; readonly upTo: number }> {
    // A gateway that took a number has its request, and later ones would leave gaps.
    const upTo = this.#ports.memory.lastRequest;
    const call = { kind: "requests", question: { ...question, upTo } } as const;
    const answers = await this.#ports.callGateways(call);
    const found = answers as readonly (readonly LoggedRequest[])[];
    return { items: mergeRequests(found, question.limit), upTo };
  }

  /** Whether everything that has happened left on the streams in time. */
  async quiet(): Promise<boolean> {
    const answers = await this.#ports.callGateways({ kind: "quiet" });
    return answers.every((isQuiet) => isQuiet === true);
  }

  async #tell(): Promise<void> {
    const rules = [...this.#rules.values()];
    await this.#ports.callGateways({ kind: "rules", rules });
  }

  #viewOf({ id, match, when, seed, expiresMs, fault, slot }: KeptRule): RuleView {
    const hits = this.#ports.memory.hits(slot);
    return { id, match, when, seed, expiresMs, fault, hits };
  }

  /** Gateways pass over an ended rule by themselves. */
  #dropEnded(): void {
    const nowMs = this.#ports.monotonicMs();
    for (const [id, { endsAtMs }] of this.#rules) {
      if (endsAtMs !== null && endsAtMs <= nowMs) this.#rules.delete(id);
    }
  }

  #freeSlot(): number {
    const taken = new Set([...this.#rules.values()].map(({ slot }) => slot));
    let slot = 0;
    while (taken.has(slot)) slot++;
    return slot;
  }
}
