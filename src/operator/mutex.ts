/**
 * Runs tasks one at a time, on all nodes of a cluster together. Otherwise, two changes that read a
 * setting, merge it and write it back could undo each other, or bring a revoked key back.
 */
import type { ChangeLock } from "./ports.ts";
import type { Refused } from "./refusal.ts";

const WAITING_MAX = 1000;

/** How long a task waits for the other nodes. */
const LOCK_MS = 15_000;

export class Mutex {
  readonly #lock: ChangeLock | null;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** `lock` is that of a cluster. */
  constructor(lock: ChangeLock | null = null) {
    this.#lock = lock;
  }

  /**
   * Refused as `overloaded` when too many wait, and as `not-leader` when the nodes of a cluster
   * cannot agree on whose turn it is: nothing was changed.
   */
  async run<Value>(task: () => Promise<Value>): Promise<Value | Refused> {
    if (this.#waiting >= WAITING_MAX) return { ok: false, unavailable: "overloaded" };
    this.#waiting++;
    const running = this.#last.then(() => this.#runAlone(task));
    // A failed task rejects for its own caller; the next one still runs.
    this.#last = running.catch(() => undefined);
    try {
      return await running;
    } finally {
      this.#waiting--;
    }
  }

  async #runAlone<Value>(task: () => Promise<Value>): Promise<Value | Refused> {
    if (this.#lock === null) return await task();
    const release = await this.#lock.take(LOCK_MS);
    if (release === null) return { ok: false, unavailable: "not-leader" };
    try {
      return await task();
    } finally {
      await release();
    }
  }
}
