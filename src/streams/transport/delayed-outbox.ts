/**
 * What waits for one client of a sandbox, where faults hold messages back. Messages keep their
 * order: those behind a delayed one wait too. What is held counts as not read yet, so that the
 * rules for slow clients apply.
 */
import type { Clock, Scheduler } from "../../platform/index.ts";
import { type FanOut, type FrameSocket, Outbox, type Urgency } from "./fan-out.ts";

interface Held {
  readonly message: Buffer;
  readonly urgency: Urgency;
  readonly dueMs: number;
}

export interface OutboxSocket {
  readonly socket: FrameSocket;
  readonly compresses: boolean;
  readonly isOpen: () => boolean;
}

export class DelayedOutbox extends Outbox {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #scheduler: Scheduler;
  #held: Held[] = [];
  #heldBytes = 0;
  /** Nothing is due before. */
  #earliestMs = Number.NEGATIVE_INFINITY;
  #frozenUntilMs = Number.NEGATIVE_INFINITY;
  #isWaiting = false;

  constructor(
    fanOut: FanOut,
    { socket, compresses, isOpen }: OutboxSocket,
    clock: Pick<Clock, "monotonicMs">,
    scheduler: Scheduler,
  ) {
    super(fanOut, socket, compresses, isOpen);
    this.#clock = clock;
    this.#scheduler = scheduler;
  }

  override get waitingBytes(): number {
    return super.waitingBytes + this.#heldBytes;
  }

  /** What is posted from now on leaves after this time, or later. */
  delay(ms: number): void {
    this.#earliestMs = Math.max(this.#earliestMs, this.#clock.monotonicMs() + ms);
  }

  /** The client hears nothing for this time; then everything at once. */
  freeze(ms: number): void {
    this.delay(ms);
    this.#frozenUntilMs = this.#earliestMs;
  }

  get isFrozen(): boolean {
    return this.#frozenUntilMs > this.#clock.monotonicMs();
  }

  override post(message: Buffer, urgency: Urgency): void {
    if (this.#held.length === 0 && !this.#isDelaying()) {
      super.post(message, urgency);
      return;
    }
    this.#held.push({ message, urgency, dueMs: this.#earliestMs });
    this.#heldBytes += message.length;
    this.#wait();
  }

  /** Discards what is held, too. */
  forget(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }

  /** Without a look at the clock where nothing was ever delayed. */
  #isDelaying(): boolean {
    const earliestMs = this.#earliestMs;
    return earliestMs !== Number.NEGATIVE_INFINITY && earliestMs > this.#clock.monotonicMs();
  }

  #wait(): void {
    const [first] = this.#held;
    if (this.#isWaiting || first === undefined) return;
    this.#isWaiting = true;
    const waitMs = Math.max(0, Math.ceil(first.dueMs - this.#clock.monotonicMs()));
    this.#scheduler.after(waitMs, () => this.#release(), "background");
  }

  #release(): void {
    this.#isWaiting = false;
    const nowMs = this.#clock.monotonicMs();
    for (let first = this.#held[0]; first !== undefined; first = this.#held[0]) {
      if (first.dueMs > nowMs) break;
      this.#held.shift();
      this.#heldBytes -= first.message.length;
      super.post(first.message, first.urgency);
    }
    this.#wait();
  }
}
