/** Work at a later time. */

export interface Timer {
  /** Does nothing when the work was done. */
  cancel(): void;
}

/**
 * Whether waiting work keeps the process alive. In the background it does not: a process that has
 * nothing else to do ends without it.
 */
export type Waiting = "foreground" | "background";

/** Work that throws ends the process, so it handles what can fail. */
export interface Scheduler {
  /** Once, `delayMs` from now or later. In the foreground unless told otherwise. */
  after(delayMs: number, run: () => void, waiting?: Waiting): Timer;
  /** Again and again, a period apart, until it is cancelled; always in the background. */
  every(periodMs: number, run: () => void): Timer;
  /** Once, when the work that is ready now has been done. In the foreground. */
  soon(run: () => void): Timer;
}

class NodeTimeout implements Timer {
  readonly #timeout: NodeJS.Timeout;

  constructor(timeout: NodeJS.Timeout) {
    this.#timeout = timeout;
  }

  cancel(): void {
    clearTimeout(this.#timeout);
  }
}

class NodeImmediate implements Timer {
  readonly #immediate: NodeJS.Immediate;

  constructor(immediate: NodeJS.Immediate) {
    this.#immediate = immediate;
  }

  cancel(): void {
    clearImmediate(this.#immediate);
  }
}

export const NODE_SCHEDULER: Scheduler = {
  after(delayMs, run, waiting = "foreground") {
    const timeout = setTimeout(run, delayMs);
    if (waiting === "background") timeout.unref();
    return new NodeTimeout(timeout);
  },
  every: (periodMs, run) => new NodeTimeout(setInterval(run, periodMs).unref()),
  soon: (run) => new NodeImmediate(setImmediate(run)),
};
