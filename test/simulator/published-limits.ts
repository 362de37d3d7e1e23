/** What is left of the published limits, by call, address and user, in one life of a process. */
import type { PublishedCall } from "../support/published-calls.ts";

const SECOND_MS = 1_000;
/** Sums of times have parts of a millisecond. */
const SLACK = 1e-6;

export interface Sender {
  readonly address: string;
  /** Null for somebody whom the exchange does not know. */
  readonly uid: number | null;
}

type Pool = readonly [name: string, weight: number];

export class PublishedLimits {
  /** When each is full again. */
  readonly #fullMs = new Map<string, number>();
  readonly #orders = new Map<string, number>();

  /** Until both have enough; 0 when they do. */
  waitMs(call: PublishedCall, sender: Sender, nowMs: number): number {
    const { capacity, windowMs } = call;
    const waits = poolsOf(call, sender).map(([name, weight]) => {
      const takenMs = this.#takenMs(name, nowMs) + (weight * windowMs) / capacity;
      return weight === 0 ? 0 : takenMs - windowMs;
    });
    const waitMs = Math.max(0, ...waits);
    return waitMs > SLACK ? waitMs : 0;
  }

  take(call: PublishedCall, sender: Sender, nowMs: number): void {
    const { capacity, isOrder, windowMs } = call;
    for (const [name, weight] of poolsOf(call, sender)) {
      const takenMs = this.#takenMs(name, nowMs) + (weight * windowMs) / capacity;
      this.#fullMs.set(name, nowMs + takenMs);
    }
    const name = orderName(sender, nowMs);
    if (isOrder) this.#orders.set(name, this.orders(sender, nowMs) + 1);
  }

  /** Of the pool of which more is taken. */
  used(call: PublishedCall, sender: Sender, nowMs: number): number {
    const { capacity, windowMs } = call;
    const taken = poolsOf(call, sender).map(([name]) => {
      return Math.ceil((this.#takenMs(name, nowMs) * capacity) / windowMs - SLACK);
    });
    return Math.max(0, ...taken);
  }

  /** In the running second, by all calls that place or amend some. */
  orders(sender: Sender, nowMs: number): number {
    return this.#orders.get(orderName(sender, nowMs)) ?? 0;
  }

  #takenMs(name: string, nowMs: number): number {
    return Math.max(0, (this.#fullMs.get(name) ?? 0) - nowMs);
  }
}

function orderName({ uid }: Sender, nowMs: number): string {
  return `${uid} in ${Math.floor(nowMs / SECOND_MS)}`;
}

function poolsOf({ ip, method, path, uid: ofUser }: PublishedCall, { address, uid }: Sender) {
  const pools: Pool[] = [[`${method} ${path} of ${address}`, ip]];
  if (uid !== null) pools.push([`${method} ${path} of user ${uid}`, ofUser]);
  return pools;
}
