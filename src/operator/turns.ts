/**
 * Lets tasks run one after the other. A change that reads a setting, merges it and writes it back
 * would else undo another that came in between, or bring a revoked key back.
 */
import type { Refused } from "./refusal.ts";

const WAITING_MAX = 1000;

export class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Refused as `overloaded` when too many wait. */
  async take<Value>(task: () => Promise<Value>): Promise<Value | Refused> {
    if (this.#waiting >= WAITING_MAX) return { ok: false, unavailable: "overloaded" };
    this.#waiting++;
    const turn = this.#last.then(task);
    // A task that throws answers its own caller; the next one still gets its turn.
    this.#last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting--;
    }
  }
}
