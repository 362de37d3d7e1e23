/**
 * The exchange's time. The local clock is used until the exchange rejects a timestamp; the
 * difference is then measured by a call of /time.
 */

import type { ClientRuntime } from "./runtime.ts";

export class ServerClock {
  readonly #runtime: ClientRuntime;
  #offsetMs = 0;
  #running: Promise<void> | null = null;

  constructor(runtime: ClientRuntime) {
    this.#runtime = runtime;
  }

  /** How far the exchange's clock is ahead of this machine's. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  nowMs(): number {
    return Math.round(this.#runtime.nowMs() + this.#offsetMs);
  }

  /** Measures the difference once for all waiting callers. */
  sync(askServerTimeMs: () => Promise<number>): Promise<void> {
    this.#running ??= this.#measure(askServerTimeMs).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #measure(askServerTimeMs: () => Promise<number>): Promise<void> {
    const sentMs = this.#runtime.nowMs();
    const serverMs = await askServerTimeMs();
    this.#offsetMs = serverMs - (sentMs + this.#runtime.nowMs()) / 2;
  }
}
