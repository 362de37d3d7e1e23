/** Events in simulated time, one after the other; promises settle in between. */
import type { Timer } from "../../src/platform/index.ts";

interface Event {
  readonly atMs: number;
  readonly order: number;
  run: (() => void) | null;
}

const SETTLED = Promise.resolve();
const EVENTS_BETWEEN = 64;

export class SimulatedTimeline {
  nowMs = 0;
  #order = 0;
  /** A binary heap, the next event first. */
  readonly #events: Event[] = [];

  at(atMs: number, run: () => void): Timer {
    const event: Event = { atMs: Math.max(atMs, this.nowMs), order: this.#order++, run };
    const events = this.#events;
    let at = events.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, events[parent] as Event)) break;
      events[at] = events[parent] as Event;
      at = parent;
    }
    events[at] = event;
    return {
      cancel: () => {
        event.run = null;
      },
    };
  }

  /** Until then, or until nobody waits for more; whoever waits is asked now and then. */
  async runUntil(endMs: number, isWaitedFor = () => true): Promise<void> {
    for (let count = 1; ; count++) {
      if (count % EVENTS_BETWEEN === 0 && !isWaitedFor()) return;
      const event = this.#events[0];
      if (event === undefined || event.atMs > endMs) break;
      this.#removeFirst();
      this.nowMs = event.atMs;
      if (event.run === null) continue;
      event.run();
      // Continuations of promises that are settled, and theirs.
      await SETTLED;
      await SETTLED;
    }
    this.nowMs = endMs;
  }

  #removeFirst(): void {
    const events = this.#events;
    const last = events.pop() as Event;
    if (events.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= events.length) break;
      const right = left + 1;
      const isRight =
        right < events.length && isBefore(events[right] as Event, events[left] as Event);
      const child = isRight ? right : left;
      if (!isBefore(events[child] as Event, last)) break;
      events[at] = events[child] as Event;
      at = child;
    }
    events[at] = last;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
