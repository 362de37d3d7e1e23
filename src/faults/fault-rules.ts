/**
 * The rules as a gateway uses them. Rules are tried in the order in which they were set. Delays of
 * all rules that hit add up; of other faults the first one happens, and later rules with another
 * one do not count what it took.
 */
import type { DelayFault, Fault, FaultMatch, FaultWhen } from "../api/operator/faults.ts";
import { delayMs, happens } from "./fault-draws.ts";
import type { FaultMemory } from "./fault-memory.ts";
import { targetsOf } from "./fault-targets.ts";

/** A rule on its way to the gateways. */
export interface PlacedRule {
  readonly id: string;
  /** Of its counts in the shared memory. */
  readonly slot: number;
  readonly match: FaultMatch;
  readonly when: FaultWhen;
  readonly seed: number;
  /** On the monotonic clock that all threads share; null never. */
  readonly endsAtMs: number | null;
  readonly fault: Fault;
}

type OfKind<Kind extends Fault["kind"]> = Extract<Fault, { readonly kind: Kind }>;

/** What happens to a request besides a delay. */
export type RequestFault = OfKind<
  "answer" | "drop-request" | "drop-answer" | "truncate-answer" | "stall"
>;
/** What happens to a message of a stream besides a delay. */
export type StreamFault = OfKind<"cut" | "gap" | "freeze" | "duplicate">;

const STREAM_KINDS: ReadonlySet<Fault["kind"]> = new Set(["cut", "gap", "freeze", "duplicate"]);

/** A delay belongs to requests unless the rule names a channel. */
export function isAboutStreams({ fault, match }: Pick<PlacedRule, "fault" | "match">): boolean {
  return STREAM_KINDS.has(fault.kind) || match.channel !== undefined;
}

export interface Hit<Kind> {
  /** Of the rule whose fault happens; of the first delay when there is only delay. */
  readonly rule: string;
  readonly delayMs: number;
  /** Null: only the delay. */
  readonly fault: Kind | null;
}

export type RequestHit = Hit<RequestFault>;
export type StreamHit = Hit<StreamFault>;

/** Who sent a request, or receives a message. */
interface Party {
  readonly uid: number;
  readonly apiKey: string;
  readonly address: string;
}

export interface MetRequest extends Party {
  /** Of the call; null for the methods of a session. */
  readonly routeId: string | null;
  /** Of the trading WebSocket. */
  readonly method: string | null;
}

interface CompiledRule extends PlacedRule {
  readonly targets: ReadonlySet<string> | null;
}

function matchesParty({ uid, apiKey, address }: FaultMatch, party: Party): boolean {
  if (uid !== undefined && uid !== party.uid) return false;
  if (apiKey !== undefined && apiKey !== party.apiKey) return false;
  return address === undefined || address === party.address;
}

class RuleList<Kind extends RequestFault | StreamFault> {
  readonly #rules: readonly CompiledRule[];
  readonly #memory: FaultMemory;
  readonly #monotonicMs: () => number;

  constructor(rules: readonly CompiledRule[], memory: FaultMemory, monotonicMs: () => number) {
    this.#rules = rules;
    this.#memory = memory;
    this.#monotonicMs = monotonicMs;
  }

  meet(matches: (rule: CompiledRule) => boolean): Hit<Kind> | null {
    let rule: string | null = null;
    let fault: Kind | null = null;
    let totalMs = 0;
    const nowMs = this.#monotonicMs();
    for (const candidate of this.#rules) {
      const isDelay = candidate.fault.kind === "delay";
      if ((fault !== null && !isDelay) || !matches(candidate)) continue;
      if (candidate.endsAtMs !== null && candidate.endsAtMs <= nowMs) continue;
      const { slot, when, seed } = candidate;
      const position = this.#memory.meet(slot);
      if (!happens(when, seed, position)) continue;
      this.#memory.hit(slot);
      if (isDelay) {
        totalMs += delayMs(candidate.fault as DelayFault, seed, position);
        rule ??= candidate.id;
      } else {
        fault = candidate.fault as Kind;
        rule = candidate.id;
      }
    }
    return rule === null ? null : { rule, delayMs: totalMs, fault };
  }
}

export class RequestRules {
  readonly #list: RuleList<RequestFault>;

  constructor(list: RuleList<RequestFault>) {
    this.#list = list;
  }

  meet(request: MetRequest): RequestHit | null {
    const { method, routeId } = request;
    return this.#list.meet(({ match, targets }) => {
      const isTarget =
        targets === null ||
        (routeId !== null && targets.has(routeId)) ||
        (method !== null && targets.has(method));
      return isTarget && matchesParty(match, request);
    });
  }
}

export class StreamRules {
  readonly #list: RuleList<StreamFault>;

  constructor(list: RuleList<StreamFault>) {
    this.#list = list;
  }

  /** `channel` as the client subscribed to it. */
  meet(channel: string, party: Party): StreamHit | null {
    return this.#list.meet(({ match }) => {
      return (match.channel ?? channel) === channel && matchesParty(match, party);
    });
  }
}

/** The rules of a gateway. */
export class FaultRules {
  readonly #memory: FaultMemory;
  readonly #monotonicMs: () => number;
  /** Null while no rule is about them: then nothing else is looked at. */
  requests: RequestRules | null = null;
  streams: StreamRules | null = null;

  constructor(memory: FaultMemory, monotonicMs: () => number) {
    this.#memory = memory;
    this.#monotonicMs = monotonicMs;
  }

  /** In place of all rules so far. */
  replace(rules: readonly PlacedRule[]): void {
    const compiled = rules.map((rule) => {
      const { route } = rule.match;
      return { ...rule, targets: route === undefined ? null : targetsOf(route) };
    });
    const requests = compiled.filter((rule) => !isAboutStreams(rule));
    const streams = compiled.filter(isAboutStreams);
    this.requests = requests.length === 0 ? null : new RequestRules(this.#listOf(requests));
    this.streams = streams.length === 0 ? null : new StreamRules(this.#listOf(streams));
  }

  #listOf(rules: readonly CompiledRule[]): RuleList<never> {
    return new RuleList(rules, this.#memory, this.#monotonicMs);
  }
}
