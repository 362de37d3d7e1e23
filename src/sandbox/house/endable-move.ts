/** A move that lasts a while, and may be ended while it waits. */
import type { Scheduler, Timer } from "../../platform/index.ts";
import type { MoveControl } from "./price-moves.ts";

export class EndableMove implements MoveControl {
  readonly #scheduler: Scheduler;
  #isEnded = false;
  #timer: Timer | null = null;
  #wake: () => void = () => undefined;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  sleep(ms: number): Promise<void> {
    if (this.#isEnded || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#timer = this.#scheduler.after(ms, resolve, "background");
    });
  }

  end(): void {
    this.#isEnded = true;
    this.#timer?.cancel();
    this.#wake();
  }
}
