/** Faults on demand between a program and the exchange. */
import type { OperatorCalls } from "./operator-calls.ts";

/** What a rule matches; without fields, everything. */
export interface FaultMatch {
  readonly uid?: number;
  readonly apiKey?: string;
  readonly address?: string;
  /** `POST /api/v3/order`, `GET *`, or a method of the trading WebSocket: `order.place`. */
  readonly route?: string;
  /** As clients subscribe to it: `BTCUSDT@depth15`, `fill`. */
  readonly channel?: string;
}

/** At most one of these; without any, the rule always hits. */
export interface FaultWhen {
  readonly probability?: number;
  readonly every?: number;
  readonly next?: number;
  readonly after?: number;
}

export type Fault =
  | {
      readonly kind: "delay";
      readonly ms: number | readonly [low: number, high: number];
      readonly distribution?: "uniform" | "normal" | "pareto";
    }
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly code?: number;
      readonly retryAfterS?: number;
    }
  | { readonly kind: "drop-request" | "drop-answer" | "truncate-answer" | "cut" | "duplicate" }
  | { readonly kind: "stall" | "freeze"; readonly ms: number }
  | { readonly kind: "gap"; readonly updates: number };

export interface FaultRule {
  readonly match?: FaultMatch;
  readonly when?: FaultWhen;
  /** Seed of the random choices; random by default. */
  readonly seed?: number;
  /** The rule ends after this many milliseconds of real time. */
  readonly expiresMs?: number;
  readonly fault: Fault;
}

export interface FaultState extends FaultRule {
  readonly id: string;
  readonly seed: number;
  /** How often the rule has hit. */
  readonly hits: number;
}

/** The user, call or channel that a shortcut applies to. */
export interface FaultTarget {
  readonly user?: { readonly uid: number };
  readonly route?: string;
}

export class Faults {
  readonly #operator: OperatorCalls;
  #made = 0;

  constructor(operator: OperatorCalls) {
    this.#operator = operator;
  }

  /** Active when it resolves. Replaces a rule with the same id and restarts its count. */
  set(id: string, rule: FaultRule): Promise<FaultState> {
    return this.#operator.call("PUT", `sandbox/faults/${encodeURIComponent(id)}`, rule);
  }

  async list(): Promise<readonly FaultState[]> {
    const { items } = await this.#operator.call<{ readonly items: readonly FaultState[] }>(
      "GET",
      "sandbox/faults",
    );
    return items;
  }

  /** Resolves to the removed rule with its hits. */
  remove(id: string): Promise<FaultState> {
    return this.#operator.call("DELETE", `sandbox/faults/${encodeURIComponent(id)}`);
  }

  async clear(): Promise<void> {
    await this.#operator.call("DELETE", "sandbox/faults");
  }

  /** The next request is carried out, but its connection closes without a response. */
  loseNextAnswer(target: FaultTarget = {}): Promise<FaultState> {
    return this.#add("lose-answer", { kind: "drop-answer" }, { next: 1 }, matchOf(target));
  }

  /** The next request, or the next `count`, gets a 429. */
  rateLimitNext(
    target: FaultTarget & { readonly count?: number; readonly retryAfterS?: number } = {},
  ): Promise<FaultState> {
    const { count = 1, retryAfterS = 1 } = target;
    const fault: Fault = { kind: "answer", status: 429, retryAfterS };
    return this.#add("rate-limit", fault, { next: count }, matchOf(target));
  }

  /** The connection breaks at the next message of the channel, or of any channel. */
  cutNextStream(
    target: { readonly user?: { readonly uid: number }; readonly channel?: string } = {},
  ): Promise<FaultState> {
    const { channel } = target;
    const match = { ...matchOf(target), ...(channel === undefined ? {} : { channel }) };
    return this.#add("cut-stream", { kind: "cut" }, { next: 1 }, match);
  }

  #add(name: string, fault: Fault, when: FaultWhen, match: FaultMatch): Promise<FaultState> {
    return this.set(`${name}-${++this.#made}`, { match, when, fault });
  }
}

function matchOf({ user, route }: FaultTarget): FaultMatch {
  return {
    ...(user === undefined ? {} : { uid: user.uid }),
    ...(route === undefined ? {} : { route }),
  };
}
