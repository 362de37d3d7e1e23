/**
 * A lock in shared memory for sections of well under a microsecond: it spins, then sleeps. Free, it
 * costs two atomic operations. The main thread of Node may sleep too.
 */

const FREE = 0;
const HELD = 1;
/** Held, and somebody may be asleep. */
const AWAITED = 2;

/** A few microseconds: longer than any section takes. */
const SPINS = 500;
const SLEEP_MS = 100;
/** A holder that is alive needs one. They are counted, because a suspended process sleeps long. */
const SLEEPS_MAX = 100;

export class MemoryLock {
  readonly #cells: Int32Array;
  readonly #index: number;

  /** `cells` are of shared memory; the cell at `index` is 0 at first. */
  constructor(cells: Int32Array, index: number) {
    this.#cells = cells;
    this.#index = index;
  }

  /** Not reentrant. Throws when a thread ended while it held the lock: the process must end. */
  take(): void {
    if (Atomics.compareExchange(this.#cells, this.#index, FREE, HELD) !== FREE) this.#await();
  }

  give(): void {
    if (Atomics.exchange(this.#cells, this.#index, FREE) === AWAITED) {
      Atomics.notify(this.#cells, this.#index, 1);
    }
  }

  #await(): void {
    const cells = this.#cells;
    const index = this.#index;
    for (let spin = 0; spin < SPINS; spin++) {
      if (Atomics.load(cells, index) !== FREE) continue;
      if (Atomics.compareExchange(cells, index, FREE, HELD) === FREE) return;
    }
    for (let sleep = 0; sleep < SLEEPS_MAX; sleep++) {
      // Taken as awaited: this thread cannot know whether it was the only one asleep.
      if (Atomics.exchange(cells, index, AWAITED) === FREE) return;
      Atomics.wait(cells, index, AWAITED, SLEEP_MS);
    }
    throw new Error("a lock in shared memory is never given back: did its thread end?");
  }
}
