/**
 * The exchange's time. The local clock is used until the exchange rejects a timestamp; the
 * difference is then measured by a call of /time.
 */

import type { ClientRuntime } from "./runtime.ts";

export interface ServerTime {
  /** By this machine's clock. */
  readonly sentMs: number;
  readonly serverMs: number;
}

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

  /**
   * Measures the difference once for all waiting callers. `askServerTime` says when the request
   * that was answered was sent: those before it, and the waits between them, are no part of it.
   */
  sync(askServerTime: () => Promise<ServerTime>): Promise<void> {
    this.#running ??= this.#measure(askServerTime).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #measure(askServerTime: () => Promise<ServerTime>): Promise<void> {
    const { sentMs, serverMs } = await askServerTime();
    this.#offsetMs = serverMs - (sentMs + this.#runtime.nowMs()) / 2;
  }
}
