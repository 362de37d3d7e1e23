/**
 * Runs a task when it is requested: never twice at once, and at most once per period. Requests that
 * arrive during a run or a pause share the next run.
 */
import type { Scheduler, Timer } from "../../platform/index.ts";
import type { Activity } from "./activity.ts";
import type { StreamClock } from "./ports.ts";

export interface ThrottleOptions {
  readonly periodMs: () => number;
  readonly clock: Pick<StreamClock, "monotonicMs">;
  readonly scheduler: Scheduler;
  /** False requests another run, because the source was busy. */
  readonly task: () => Promise<boolean>;
  readonly onFatal: (error: Error) => void;
  readonly activity?: Activity;
}

export class Throttle {
  readonly #options: ThrottleOptions;
  #timer: Timer | null = null;
  #running = false;
  #requested = false;
  #stopped = false;
  #isBusy = false;
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(options: ThrottleOptions) {
    this.#options = options;
  }

  /** Whether a run is already pending. */
  get isRequested(): boolean {
    return this.#requested;
  }

  request(): void {
    this.#requested = true;
    if (this.#running || this.#timer !== null || this.#stopped) return;
    this.#setBusy(true);
    const { clock, scheduler } = this.#options;
    const delayMs = Math.max(0, this.#nextMs - clock.monotonicMs());
    this.#timer = scheduler.after(Math.ceil(delayMs), () => this.#begin());
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#timer = null;
    this.#setBusy(false);
  }

  #setBusy(isBusy: boolean): void {
    const { activity } = this.#options;
    if (activity !== undefined && isBusy !== this.#isBusy) activity.count += isBusy ? 1 : -1;
    this.#isBusy = isBusy;
  }

  #begin(): void {
    this.#timer = null;
    this.#running = true;
    this.#requested = false;
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
    if (this.#requested || !done) this.request();
    else this.#setBusy(false);
  }
}
