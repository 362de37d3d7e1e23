/**
 * Reads a ring in turns of the event loop: some records, then whatever else the thread has to do,
 * then more. It falls asleep in a turn that finds nothing: who has just worked looks once more,
 * which costs less than being woken.
 */
import type { RingReader } from "./ring.ts";

interface RingInboxOptions {
  /** Reads some of the ring, within a budget; returns the bytes that became free. */
  readonly read: () => number;
  readonly ring: Pick<RingReader, "fallAsleep">;
  /** Runs the next turn soon, after other events: `setImmediate`. */
  readonly soon: (turn: () => void) => void;
}

export class RingInbox {
  readonly #options: RingInboxOptions;
  readonly #turn = () => this.#run();
  #isScheduled = false;

  constructor(options: RingInboxOptions) {
    this.#options = options;
  }

  /** Call once at the start and for every event of the writer; one too many does no harm. */
  wake(): void {
    if (!this.#isScheduled) this.#run();
  }

  #run(): void {
    const { read, ring, soon } = this.#options;
    // While it runs, a call of `wake` from within must not run it again.
    this.#isScheduled = true;
    this.#isScheduled = read() > 0 || !ring.fallAsleep();
    if (this.#isScheduled) soon(this.#turn);
  }
}
