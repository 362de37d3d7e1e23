/**
 * How much work one step may be. A fault may make an exchange wait, repeat or catch up, but all of
 * it has an end; what goes beyond these limits, which are far above any step, never would.
 */
import { Breach } from "./breach.ts";

/** What the life of a machine has used so far. */
export interface Used {
  /** Turns of the event loop. */
  readonly turns: number;
  /** Calls of the disk: a commit takes four. */
  readonly calls: number;
  readonly simulatedMs: number;
}

export const LIMITS: Used = { turns: 1_000_000, calls: 50_000, simulatedMs: 2 * 3_600_000 };

const NOTHING: Used = { turns: 0, calls: 0, simulatedMs: 0 };

export class StepLimits {
  #begun: Used = NOTHING;

  /** What was used up to now is of an earlier step. */
  begin(used: Used): void {
    this.#begun = used;
  }

  check(used: Used): void {
    for (const name of ["turns", "calls", "simulatedMs"] as const) {
      const spent = used[name] - this.#begun[name];
      if (spent <= LIMITS[name]) continue;
      throw new Breach("every step ends", `${LIMITS[name]} ${name} in one step are not enough`);
    }
  }
}
