/**
 * Lets requests in and answers out while a leader may answer: it has the lease, and standbys have
 * what it acknowledged. Otherwise they wait, in their order, for as long as they would wait for
 * another leader.
 */
import type { Clock, Scheduler, Timer } from "../platform/index.ts";
import { HOLD_MS } from "./routed-engine.ts";

/** What must be so. */
export interface AnswerCondition {
  readonly mayAnswer: boolean;
  /** `onChange` is called whenever it may have become so. */
  watch(onChange: () => void): void;
}

/** What waits at the same time. */
const WAITING_MAX = 20_000;

interface Waiting {
  readonly go: () => void;
  readonly late: () => void;
  readonly deadlineMs: number;
}

export class AnswerGate {
  readonly #conditions: readonly AnswerCondition[];
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #scheduler: Scheduler;
  readonly #waiting: Waiting[] = [];
  #timer: Timer | null = null;
  #isClosed = false;

  constructor(
    conditions: readonly AnswerCondition[],
    {
      clock,
      scheduler,
    }: { readonly clock: Pick<Clock, "monotonicMs">; readonly scheduler: Scheduler },
  ) {
    this.#conditions = conditions;
    this.#clock = clock;
    this.#scheduler = scheduler;
    for (const condition of conditions) condition.watch(() => this.#letThrough());
  }

  get isOpen(): boolean {
    return !this.#isClosed && this.#conditions.every(({ mayAnswer }) => mayAnswer);
  }

  /** Calls `go` now or when the gate opens, `late` when it does not in time. */
  pass(go: () => void, late: () => void): void {
    if (this.isOpen && this.#waiting.length === 0) {
      go();
      return;
    }
    if (this.#isClosed || this.#waiting.length >= WAITING_MAX) {
      late();
      return;
    }
    this.#waiting.push({ go, late, deadlineMs: this.#clock.monotonicMs() + HOLD_MS });
    this.#timer ??= this.#scheduler.after(HOLD_MS, () => this.#giveUp(), "background");
  }

  /** For good: what waits is late. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const { late } of this.#waiting.splice(0)) late();
  }

  #letThrough(): void {
    while (this.#waiting.length > 0 && this.isOpen) this.#waiting.shift()?.go();
  }

  #giveUp(): void {
    this.#timer = null;
    const nowMs = this.#clock.monotonicMs();
    while (this.#waiting[0] !== undefined && this.#waiting[0].deadlineMs <= nowMs) {
      this.#waiting.shift()?.late();
    }
    const [next] = this.#waiting;
    if (next === undefined) return;
    const leftMs = next.deadlineMs - nowMs;
    this.#timer = this.#scheduler.after(leftMs, () => this.#giveUp(), "background");
  }
}
