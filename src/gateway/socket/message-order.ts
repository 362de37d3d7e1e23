/**
 * Messages of one socket take effect in the order of their arrival: the rules of
 * `http/connection-order.ts`, for requests that are there as a whole. A message begins when those
 * before it were answered; reads run beside reads, and what enters the engine in one step follows
 * the step before it at once, because the engine keeps the order.
 */
import type { Sharing } from "../http/connection-order.ts";

/** Messages of one socket that may be unanswered. */
export const IN_FLIGHT_MAX = 256;

export interface Ordered {
  /** `local` is done when it begins, and only has to begin in its turn. */
  readonly sharing: Sharing | "local";
}

export class MessageOrder<Message extends Ordered> {
  readonly #begin: (message: Message) => void;
  readonly #waiting: Message[] = [];
  /** What may run beside the running ones. */
  #sharing: Message["sharing"] = "nothing";
  #running = 0;
  #isAdvancing = false;

  /** `begin` ends in one call of `left`, perhaps before it returns. */
  constructor(begin: (message: Message) => void) {
    this.#begin = begin;
  }

  get inFlight(): number {
    return this.#running + this.#waiting.length;
  }

  /** Begins it now or in its turn; false if too many are unanswered. */
  take(message: Message): boolean {
    if (this.inFlight >= IN_FLIGHT_MAX) return false;
    if (this.#isAdvancing || this.#waiting.length > 0 || !this.#admits(message)) {
      this.#waiting.push(message);
    } else this.#run(message);
    return true;
  }

  /** A message was answered. */
  left(): void {
    this.#running--;
    if (this.#isAdvancing || this.#waiting.length === 0) return;
    this.#isAdvancing = true;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (!this.#admits(next)) break;
      this.#waiting.shift();
      this.#run(next);
    }
    this.#isAdvancing = false;
  }

  #admits({ sharing }: Message): boolean {
    if (this.#running === 0 || sharing === "local") return true;
    return sharing !== "nothing" && sharing === this.#sharing;
  }

  #run(message: Message): void {
    if (message.sharing !== "local" || this.#running === 0) this.#sharing = message.sharing;
    this.#running++;
    this.#begin(message);
  }
}
