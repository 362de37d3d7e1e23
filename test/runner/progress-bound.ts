/**
 * How long a run may take: as long as it gets on. It is over when nothing was heard of it for a
 * while, which a slow machine does not reach, and at the end of a day's worth of patience.
 */
import { WAIT_MARK } from "../support/wait-mark.ts";
import { seconds } from "./file-report.ts";

export class ProgressBound {
  readonly #silenceMs: number;
  readonly #endMs: number;
  #lastMs: number;
  #waitsUntil: string | null = null;

  /** Times are of one clock; `endMs` is a point of it. */
  constructor(silenceMs: number, endMs: number, nowMs: number) {
    this.#silenceMs = silenceMs;
    this.#endMs = endMs;
    this.#lastMs = nowMs;
  }

  /** What the last line said that it waits for; null when it said something else. */
  get waitsUntil(): string | null {
    return this.#waitsUntil;
  }

  /** It was started. */
  started(nowMs: number): void {
    this.#lastMs = nowMs;
  }

  /** A line of its output, which is progress unless it only says what is waited for. */
  heard(line: string, nowMs: number): void {
    const isWaiting = line.startsWith(WAIT_MARK);
    this.#waitsUntil = isWaiting ? line.slice(WAIT_MARK.length) : null;
    if (!isWaiting) this.#lastMs = nowMs;
  }

  /** Why it is over; null while it is not. */
  overrun(nowMs: number): string | null {
    if (nowMs - this.#lastMs >= this.#silenceMs) {
      const waits = this.#waitsUntil === null ? "" : `, it waits until ${this.#waitsUntil}`;
      return `nothing was heard of it for ${seconds(this.#silenceMs)}${waits}`;
    }
    return nowMs >= this.#endMs ? "the whole run took too long" : null;
  }
}
