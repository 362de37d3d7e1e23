/**
 * What only the node that leads can say or do, besides commands: asked over the link, and of the
 * next leader again when the link is lost. So whatever is asked must bear being asked twice.
 */
import type { Scheduler, Timer } from "../platform/index.ts";

/** Those of a node that wait. */
const WAITING_MAX = 1000;

interface Waiting {
  readonly question: string;
  readonly answered: (answer: string | null) => void;
  readonly timer: Timer;
}

export class LeaderQuestions {
  readonly #holdMs: number;
  readonly #scheduler: Scheduler;
  readonly #waiting = new Map<number, Waiting>();
  #send: ((id: number, question: string) => void) | null = null;
  #lastId = 0;

  /** `holdMs`: how long a question waits for its answer, over leaders that come and go. */
  constructor(holdMs: number, scheduler: Scheduler) {
    this.#holdMs = holdMs;
    this.#scheduler = scheduler;
  }

  /** Resolves with the answer, or with null when no leader gave one in time. */
  ask(question: string): Promise<string | null> {
    if (this.#waiting.size >= WAITING_MAX) return Promise.resolve(null);
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const timer = this.#scheduler.after(this.#holdMs, () => this.told(id, null), "background");
      this.#waiting.set(id, { question, answered: resolve, timer });
      this.#send?.(id, question);
    });
  }

  /** A leader takes questions. */
  linked(send: (id: number, question: string) => void): void {
    this.#send = send;
    for (const [id, { question }] of [...this.#waiting]) send(id, question);
  }

  unlinked(): void {
    this.#send = null;
  }

  /** Null: nobody answers any more. */
  told(id: number, answer: string | null): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    waiting.timer.cancel();
    waiting.answered(answer);
  }
}
