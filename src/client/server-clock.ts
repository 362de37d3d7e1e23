/**
 * The exchange's time as this machine can tell it. The machine's own clock is trusted until the
 * exchange refuses a timestamp; then the difference is taken from its answer to /time, between
 * sending and receiving.
 */

export class ServerClock {
  #offsetMs = 0;
  #running: Promise<void> | null = null;

  /** How far the exchange's clock is ahead of this machine's. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  nowMs(): number {
    return Math.round(Date.now() + this.#offsetMs);
  }

  /** Asks for the time once, however many callers wait for it. */
  sync(askServerTimeMs: () => Promise<number>): Promise<void> {
    this.#running ??= this.#measure(askServerTimeMs).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #measure(askServerTimeMs: () => Promise<number>): Promise<void> {
    const sentMs = Date.now();
    const serverMs = await askServerTimeMs();
    this.#offsetMs = serverMs - (sentMs + Date.now()) / 2;
  }
}
