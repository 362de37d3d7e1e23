/**
 * Rate limits as the reference publishes them: 500 an endpoint and 10 s, of each address and of
 * each user, taken from both or from none.
 */

const CAPACITY = 500;
const WINDOW_MS = 10_000;
/** A bound is met in spite of what the division leaves behind. */
const SLACK = 1e-6;

/** What is taken, and when that was so. */
class Pool {
  #taken = 0;
  #atMs = 0;

  takenAt(nowMs: number): number {
    const left = this.#taken - ((nowMs - this.#atMs) * CAPACITY) / WINDOW_MS;
    return Math.max(0, left);
  }

  take(weight: number, nowMs: number): void {
    this.#taken = this.takenAt(nowMs) + weight;
    this.#atMs = nowMs;
  }
}

/** Of one life: nothing of it outlives the process. */
export class Pools {
  readonly #pools = new Map<string, Pool>();

  /** Whether both let a request through, which then is taken from both. */
  take(names: readonly string[], weight: number, nowMs: number): boolean {
    const pools = names.map((name) => this.#pools.get(name) ?? new Pool());
    if (pools.some((pool) => pool.takenAt(nowMs) + weight > CAPACITY + SLACK)) return false;
    for (const [index, pool] of pools.entries()) {
      pool.take(weight, nowMs);
      this.#pools.set(names[index] ?? "", pool);
    }
    return true;
  }
}
