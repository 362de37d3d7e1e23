/** Progress of long work: one line on standard error, rewritten in place on a terminal. */

const INTERVAL_MS = 500;
/** Shorter work prints nothing. */
const QUIET_MS = 1_000;

export class Progress {
  readonly #title: string;
  readonly #total: number;
  readonly #startedMs = performance.now();
  #lastMs = this.#startedMs;
  #written = false;

  /** `total` is in the unit that `report` counts. */
  constructor(title: string, total: number) {
    this.#title = title;
    this.#total = total;
  }

  report(done: number): void {
    const nowMs = performance.now();
    if (nowMs - this.#startedMs < QUIET_MS || nowMs - this.#lastMs < INTERVAL_MS) return;
    this.#lastMs = nowMs;
    const perSecond = (done / (nowMs - this.#startedMs)) * 1000;
    const percent = this.#total === 0 ? 100 : Math.floor((done / this.#total) * 100);
    const leftSeconds = Math.ceil((this.#total - done) / Math.max(perSecond, 1));
    const line =
      `${this.#title}: ${done} of ${this.#total} (${percent} %), ` +
      `${Math.round(perSecond)}/s, ${leftSeconds} s left`;
    this.#write(process.stderr.isTTY ? `\r${line}\x1b[K` : `${line}\n`);
  }

  end(): void {
    if (this.#written && process.stderr.isTTY) process.stderr.write("\n");
  }

  #write(text: string): void {
    this.#written = true;
    process.stderr.write(text);
  }
}
