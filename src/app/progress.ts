/** Progress of long work: one line on standard error, rewritten in place on a terminal. */
import { type Clock, NODE_PLATFORM } from "../platform/index.ts";

const INTERVAL_MS = 500;
/** Shorter work prints nothing. */
const QUIET_MS = 1_000;

export class Progress {
  readonly #title: string;
  readonly #total: number | null;
  readonly #clock: Clock;
  readonly #startedMs: number;
  #lastMs: number;
  #written = false;

  /** `total` is in the unit that `report` counts; null where it is not known. */
  constructor(title: string, total: number | null, clock: Clock = NODE_PLATFORM.clock) {
    this.#title = title;
    this.#total = total;
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
    this.#lastMs = this.#startedMs;
  }

  report(done: number): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#startedMs < QUIET_MS || nowMs - this.#lastMs < INTERVAL_MS) return;
    this.#lastMs = nowMs;
    const perSecond = (done / (nowMs - this.#startedMs)) * 1000;
    const line = `${this.#title}: ${this.#text(done, perSecond)}`;
    this.#write(process.stderr.isTTY ? `\r${line}\x1b[K` : `${line}\n`);
  }

  #text(done: number, perSecond: number): string {
    const rate = `${Math.round(perSecond)}/s`;
    if (this.#total === null) return `${done}, ${rate}`;
    const percent = this.#total === 0 ? 100 : Math.floor((done / this.#total) * 100);
    const leftSeconds = Math.ceil((this.#total - done) / Math.max(perSecond, 1));
    return `${done} of ${this.#total} (${percent} %), ${rate}, ${leftSeconds} s left`;
  }

  end(): void {
    if (this.#written && process.stderr.isTTY) process.stderr.write("\n");
  }

  #write(text: string): void {
    this.#written = true;
    process.stderr.write(text);
  }
}
