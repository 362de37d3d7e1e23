/**
 * Runs tasks one at a time. Otherwise, two changes that read a setting, merge it and write it back
 * could undo each other, or bring a revoked key back.
 */
import type { Refused } from "./refusal.ts";

const WAITING_MAX = 1000;

export class Mutex {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Refused as `overloaded` when too many wait. */
  async run<Value>(task: () => Promise<Value>): Promise<Value | Refused> {
    if (this.#waiting >= WAITING_MAX) return { ok: false, unavailable: "overloaded" };
    this.#waiting++;
    const running = this.#last.then(task);
    // A failed task rejects for its own caller; the next one still runs.
    this.#last = running.catch(() => undefined);
    try {
      return await running;
    } finally {
      this.#waiting--;
    }
  }
}
