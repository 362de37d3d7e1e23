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

/** Beside a whole second it may be either, as the sums have parts of a millisecond. */
const SLACK_MS = 2;

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

  /** Whether the first of them that lets it through no more is told to wait for so long. */
  isWait(seconds: number, names: readonly string[], weight: number, nowMs: number): boolean {
    const waits = names.map((name) => {
      const missing = (this.#pools.get(name)?.takenAt(nowMs) ?? 0) + weight - CAPACITY;
      return (missing * WINDOW_MS) / CAPACITY;
    });
    const waitMs = waits.find((ms) => ms > SLACK) ?? 0;
    const rounded = [waitMs - SLACK_MS, waitMs, waitMs + SLACK_MS].map((ms) =>
      Math.ceil(ms / 1_000),
    );
    return rounded.includes(seconds);
  }
}
