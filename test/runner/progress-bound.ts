/**
 * How long a run may take: as long as it gets on. It is over when nothing was heard of it for a
 * while, which a slow machine does not reach, and at the end of a day's worth of patience.
 */
import { seconds } from "./file-report.ts";

export class ProgressBound {
  readonly #silenceMs: number;
  readonly #endMs: number;
  #lastMs: number;

  /** Times are of one clock; `endMs` is a point of it. */
  constructor(silenceMs: number, endMs: number, nowMs: number) {
    this.#silenceMs = silenceMs;
    this.#endMs = endMs;
    this.#lastMs = nowMs;
  }

  /** A test has ended, or there was output. */
  progress(nowMs: number): void {
    this.#lastMs = nowMs;
  }

  /** Why it is over; null while it is not. */
  overrun(nowMs: number): string | null {
    if (nowMs - this.#lastMs >= this.#silenceMs) {
      return `nothing was heard of it for ${seconds(this.#silenceMs)}`;
    }
    return nowMs >= this.#endMs ? "the whole run took too long" : null;
  }
}
