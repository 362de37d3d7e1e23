/**
 * Counts wrong tokens per address. An address that sends too many has to wait, even with the right
 * token; other addresses do not. Each wrong token is logged, without the token itself, up to a rate
 * that a person can read.
 */
import type { OperatorLog } from "./ports.ts";

/** Wrong tokens allowed at once per address, and the time until the next one. */
const BURST = 10;
const REFILL_MS = 6_000;
/** Beyond this many addresses, the least recent ones are forgotten. */
export const ADDRESSES_MAX = 10_000;
/** For all addresses together. */
const LINES_PER_MINUTE = 30;
const MINUTE_MS = 60_000;

export class WrongTokens {
  readonly #log: OperatorLog;
  /** When an address has its whole burst again; the most recent address is last. */
  readonly #fullAtMs = new Map<string, number>();
  #minuteEndsMs = 0;
  #lines = 0;
  #unlogged = 0;

  constructor(log: OperatorLog) {
    this.#log = log;
  }

  get addresses(): number {
    return this.#fullAtMs.size;
  }

  /** Milliseconds until the address may send a token again; 0 when it may. */
  waitMs(address: string, nowMs: number): number {
    const fullAtMs = this.#fullAtMs.get(address) ?? 0;
    return Math.max(0, fullAtMs + REFILL_MS - nowMs - BURST * REFILL_MS);
  }

  /** Counts a wrong token of the address. */
  note(address: string, nowMs: number): void {
    const fullAtMs = Math.max(this.#fullAtMs.get(address) ?? 0, nowMs) + REFILL_MS;
    this.#fullAtMs.delete(address);
    if (this.#fullAtMs.size >= ADDRESSES_MAX) this.#forgetOldest();
    this.#fullAtMs.set(address, fullAtMs);
    this.#tell(address, nowMs, "a wrong operator token");
  }

  /** Logs a request of an address that should have waited. */
  noteThrottled(address: string, nowMs: number): void {
    this.#tell(address, nowMs, "an operator token while too many were wrong");
  }

  #forgetOldest(): void {
    for (const address of this.#fullAtMs.keys()) {
      this.#fullAtMs.delete(address);
      return;
    }
  }

  #tell(address: string, nowMs: number, message: string): void {
    if (nowMs >= this.#minuteEndsMs) {
      this.#minuteEndsMs = nowMs + MINUTE_MS;
      this.#lines = 0;
    }
    if (this.#lines >= LINES_PER_MINUTE) {
      this.#unlogged++;
      return;
    }
    this.#lines++;
    const unlogged = this.#unlogged === 0 ? {} : { unlogged: this.#unlogged };
    this.#log.warn({ address, ...unlogged }, message);
    this.#unlogged = 0;
  }
}
