/** Scenarios: rare market events, caused by ordinary prices and orders. */
import type { OperatorCalls } from "./operator-calls.ts";

export type Scenario =
  | "liquidate"
  | "partial-liquidation"
  | "adl"
  | "funding-spike"
  | "flash-crash"
  | "halt"
  | "index-stale"
  | "delist";

export interface Triggered {
  readonly scenario: Scenario;
  /** Sequence of its last command. */
  readonly sequence: number;
  /** What was done, in sentences. */
  readonly did: readonly string[];
}

/** Without a symbol: the contract in which the user's position is nearest to liquidation. */
export interface ScenarioTarget {
  readonly user?: { readonly uid: number };
  readonly symbol?: string;
  /** For a symbol listed on both; by default both, or the one that the scenario needs. */
  readonly product?: "spot" | "contract";
}

interface Holder {
  readonly uid: number;
}

export class Triggers {
  readonly #operator: OperatorCalls;

  constructor(operator: OperatorCalls) {
    this.#operator = operator;
  }

  play(scenario: Scenario, { user, ...target }: ScenarioTarget): Promise<Triggered> {
    const uid = user === undefined ? {} : { uid: user.uid };
    return this.#operator.call("POST", "sandbox/trigger", { scenario, ...uid, ...target });
  }

  /** The user's position is gone when it resolves. */
  liquidate(user: Holder, symbol?: string): Promise<Triggered> {
    return this.play("liquidate", targetOf(user, symbol));
  }

  /** The user's cross position, above the first tier, is reduced. */
  partialLiquidation(user: Holder, symbol?: string): Promise<Triggered> {
    return this.play("partial-liquidation", targetOf(user, symbol));
  }

  /** The user's position is auto-deleveraged against a bankrupt one. */
  adl(user: Holder, symbol?: string): Promise<Triggered> {
    return this.play("adl", targetOf(user, symbol));
  }

  /** The next funding is at the cap, against the user's side, and happens now. */
  fundingSpike(target: ScenarioTarget): Promise<Triggered> {
    return this.play("funding-spike", target);
  }

  /** The price falls by 10 % and recovers. */
  flashCrash(symbol: string): Promise<Triggered> {
    return this.play("flash-crash", { symbol });
  }

  halt(symbol: string): Promise<Triggered> {
    return this.play("halt", { symbol });
  }

  /** The contract's index goes stale. */
  indexStale(symbol: string): Promise<Triggered> {
    return this.play("index-stale", { symbol });
  }

  /** Orders are cancelled, positions closed at the mark price, and trading stops. */
  delist(symbol: string): Promise<Triggered> {
    return this.play("delist", { symbol });
  }
}

function targetOf(user: Holder, symbol: string | undefined): ScenarioTarget {
  return symbol === undefined ? { user } : { user, symbol };
}
