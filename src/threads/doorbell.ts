/**
 * Wakes the other thread, and never in vain while it is busy. Who goes to sleep raises a flag,
 * looks once more, and only then waits for an event; who has changed something lowers the flag and
 * sends one event if it was up. All accesses are sequentially consistent, so either the sleeper's
 * last look sees the change, or the change's look at the flag sees the sleeper.
 */
import type { SharedWords } from "./ring-memory.ts";

/** Sends one event to the other thread: an empty message. */
export type Wake = () => void;

export class Doorbell {
  readonly #words: SharedWords;
  readonly #flag: number;
  readonly #wake: Wake;

  constructor(words: SharedWords, flag: number, wake: Wake) {
    this.#words = words;
    this.#flag = flag;
    this.#wake = wake;
  }

  /** Call after what the other side waits for has been published. */
  ring(): void {
    // The first look changes nothing, and is all that a busy other side costs.
    if (this.#words.load(this.#flag) === 0) return;
    if (this.#words.exchange(this.#flag, 0) === 1) this.#wake();
  }
}

/**
 * True: an event will come when there is something to do. False: there is already, and none may
 * come; `hasWork` must look at shared memory.
 */
export function fallAsleep(words: SharedWords, flag: number, hasWork: () => boolean): boolean {
  words.store(flag, 1);
  if (!hasWork()) return true;
  words.store(flag, 0);
  return false;
}
