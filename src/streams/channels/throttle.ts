/**
 * Runs a task soon after it was asked for, never twice at once, and with a least time between the
 * end of one run and the begin of the next. However often it is asked for meanwhile, one run
 * follows.
 */
import type { StreamClock } from "./ports.ts";

export interface PaceOptions {
  readonly periodMs: () => number;
  readonly clock: Pick<StreamClock, "monotonicMs">;
  /** False asks for another run: the source was busy. */
  readonly task: () => Promise<boolean>;
  readonly onFatal: (error: Error) => void;
}

export class Pace {
  readonly #options: PaceOptions;
  #timer: NodeJS.Timeout | null = null;
  #running = false;
  #wanted = false;
  #stopped = false;
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Whether a run is to begin, so that asking changes nothing. */
  get isAsked(): boolean {
    return this.#wanted;
  }

  ask(): void {
    this.#wanted = true;
    if (this.#running || this.#timer !== null || this.#stopped) return;
    const delayMs = Math.max(0, this.#nextMs - this.#options.clock.monotonicMs());
    this.#timer = setTimeout(() => this.#begin(), Math.ceil(delayMs));
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #begin(): void {
    this.#timer = null;
    this.#running = true;
    this.#wanted = false;
    this.#run().catch((error: unknown) => {
      this.stop();
      this.#options.onFatal(error instanceof Error ? error : new Error(String(error)));
    });
  }

  async #run(): Promise<void> {
    const { task, periodMs, clock } = this.#options;
    const done = await task();
    this.#running = false;
    this.#nextMs = clock.monotonicMs() + periodMs();
    if (this.#wanted || !done) this.ask();
  }
}
