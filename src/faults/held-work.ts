/** Work that faults put off. When the exchange stops, nobody waits for it any longer. */
import type { Scheduler, Timer } from "../platform/index.ts";

export class HeldWork {
  readonly #scheduler: Scheduler;
  readonly #held = new Map<Timer, () => void>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  after(delayMs: number, run: () => void): void {
    const timer = this.#scheduler.after(
      Math.ceil(delayMs),
      () => {
        this.#held.delete(timer);
        run();
      },
      "background",
    );
    this.#held.set(timer, run);
  }

  /** Does all of it now. */
  release(): void {
    const held = [...this.#held];
    this.#held.clear();
    for (const [timer, run] of held) {
      timer.cancel();
      run();
    }
  }
}
