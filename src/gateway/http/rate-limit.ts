/**
 * Rate limits by token buckets, made from the routes. "N a second" is a bucket per user (per
 * address where unsigned); "weight" is two pools of 500 per 10 seconds per endpoint, one per
 * address and one per user, taken both or none. Requests that fail authentication have a pool per
 * address of their own, so that a stranger behind the same address cannot use up a user's limits.
 */
import type { Limit } from "../../api/calls.ts";
import type { Route } from "../../api/route.ts";

export const POOL_WEIGHT = 500;
const POOL_WINDOW_MS = 10_000;
const SECOND_MS = 1_000;
/** Adding to a time and taking it off again leaves a trace of a token behind, which is none. */
const ROUNDING_SLACK = 1e-6;

const KEYS_MAX = 200_000;

/**
 * What the gateway asks of its limits. Gateways in several threads can share one implementation.
 */
export interface RateLimits {
  forRoute(route: Pick<Route, "limit" | "access" | "countsAsOrder">): RouteLimits;
  /** For a request that failed authentication. */
  takeFailure(address: string, nowMs: number): number;
}

/** Every `take…` answers 0 when it took, else the milliseconds to wait, and took nothing. */
export interface RouteLimits {
  /** Before authentication. Takes on a public route, only looks on a signed one. */
  takeAddress(address: string, nowMs: number): number;
  /** After authentication. */
  takeUser(address: string, uid: number, nowMs: number): number;
  /** What is taken of the fuller pool, for X-USED-WEIGHT-10S. */
  usedWeight(address: string, uid: number, nowMs: number): number;
  /** Orders that this user sent in the running second, for X-ORDER-COUNT-1S. */
  orderCount(uid: number, nowMs: number): number;
}

/**
 * Token buckets as one number a key: the time at which the bucket will be full again. A bucket that
 * was not touched for as long as it takes to fill is full, so keys are kept in two generations that
 * long, and the older one is dropped whole: memory is bounded and nothing is ever swept.
 */
export class TokenBuckets<Key> {
  readonly #capacity: number;
  readonly #intervalMs: number;
  readonly #keysMax: number;
  #fullAtMs = new Map<Key, number>();
  #older = new Map<Key, number>();
  #generationEndsMs = 0;

  /** A bucket holds `capacity` tokens and gains one every `intervalMs`. */
  constructor(capacity: number, intervalMs: number, keysMax = KEYS_MAX) {
    this.#capacity = capacity;
    this.#intervalMs = intervalMs;
    this.#keysMax = keysMax;
  }

  get size(): number {
    return this.#fullAtMs.size + this.#older.size;
  }

  #fullAt(key: Key): number {
    return this.#fullAtMs.get(key) ?? this.#older.get(key) ?? 0;
  }

  /** Milliseconds until `amount` tokens are there; 0 when they are. */
  waitMs(key: Key, amount: number, nowMs: number): number {
    const fullAtMs = Math.max(this.#fullAt(key), nowMs) + amount * this.#intervalMs;
    const waitMs = fullAtMs - nowMs - this.#capacity * this.#intervalMs;
    return waitMs > ROUNDING_SLACK ? waitMs : 0;
  }

  /** Takes what `waitMs` said is there. */
  take(key: Key, amount: number, nowMs: number): void {
    if (nowMs >= this.#generationEndsMs || this.#fullAtMs.size >= this.#keysMax) this.#age(nowMs);
    const fullAtMs = Math.max(this.#fullAt(key), nowMs) + amount * this.#intervalMs;
    this.#fullAtMs.set(key, fullAtMs);
  }

  #age(nowMs: number): void {
    this.#older = this.#fullAtMs;
    this.#fullAtMs = new Map();
    this.#generationEndsMs = nowMs + this.#capacity * this.#intervalMs;
  }

  /** At most the capacity: what later requests took does not count against an earlier moment. */
  used(key: Key, nowMs: number): number {
    const used = Math.ceil((this.#fullAt(key) - nowMs) / this.#intervalMs - ROUNDING_SLACK);
    return Math.min(Math.max(0, used), this.#capacity);
  }
}

interface PoolSize {
  readonly capacity: number;
  readonly windowMs: number;
  /** What a request takes from the pool of its address, and of its user. */
  readonly ip: number;
  readonly uid: number;
}

function poolSize(limit: Limit, isPublic: boolean): PoolSize {
  return limit.kind === "rate"
    ? { capacity: limit.perSecond, windowMs: SECOND_MS, ip: isPublic ? 1 : 0, uid: 1 }
    : { capacity: POOL_WEIGHT, windowMs: POOL_WINDOW_MS, ip: limit.ip, uid: limit.uid };
}

/** Two pools of one endpoint, by address and by user. */
class RoutePools implements RouteLimits {
  readonly #size: PoolSize;
  readonly #isPublic: boolean;
  readonly #byAddress: TokenBuckets<string>;
  readonly #byUser: TokenBuckets<number>;
  readonly #orders: OrderCounter | null;

  constructor(limit: Limit, isPublic: boolean, orders: OrderCounter | null) {
    this.#size = poolSize(limit, isPublic);
    const { capacity, windowMs } = this.#size;
    this.#isPublic = isPublic;
    this.#byAddress = new TokenBuckets(capacity, windowMs / capacity);
    this.#byUser = new TokenBuckets(capacity, windowMs / capacity);
    this.#orders = orders;
  }

  takeAddress(address: string, nowMs: number): number {
    const { ip } = this.#size;
    if (ip === 0) return 0;
    const waitMs = this.#byAddress.waitMs(address, ip, nowMs);
    if (waitMs === 0 && this.#isPublic) this.#byAddress.take(address, ip, nowMs);
    return waitMs;
  }

  takeUser(address: string, uid: number, nowMs: number): number {
    if (this.#isPublic) return 0;
    const { ip, uid: weight } = this.#size;
    const waitMs = Math.max(
      ip === 0 ? 0 : this.#byAddress.waitMs(address, ip, nowMs),
      this.#byUser.waitMs(uid, weight, nowMs),
    );
    if (waitMs > 0) return waitMs;
    if (ip > 0) this.#byAddress.take(address, ip, nowMs);
    this.#byUser.take(uid, weight, nowMs);
    this.#orders?.add(uid, nowMs);
    return 0;
  }

  usedWeight(address: string, uid: number, nowMs: number): number {
    return Math.max(this.#byAddress.used(address, nowMs), this.#byUser.used(uid, nowMs));
  }

  orderCount(uid: number, nowMs: number): number {
    return this.#orders?.count(uid, nowMs) ?? 0;
  }
}

/** Admitted orders of each user in the running second, over all routes that place orders. */
class OrderCounter {
  readonly #counts = new Map<number, number>();
  #second = 0;

  #enter(nowMs: number): void {
    const second = Math.floor(nowMs / SECOND_MS);
    if (second === this.#second) return;
    this.#second = second;
    this.#counts.clear();
  }

  add(uid: number, nowMs: number): void {
    this.#enter(nowMs);
    this.#counts.set(uid, (this.#counts.get(uid) ?? 0) + 1);
  }

  count(uid: number, nowMs: number): number {
    this.#enter(nowMs);
    return this.#counts.get(uid) ?? 0;
  }
}

/** The limits that the API publishes. */
export function createRateLimits(): RateLimits {
  const failures = new TokenBuckets<string>(POOL_WEIGHT, POOL_WINDOW_MS / POOL_WEIGHT);
  const orders = new OrderCounter();
  return {
    forRoute({ limit, access, countsAsOrder }) {
      return new RoutePools(limit, access === null, countsAsOrder === true ? orders : null);
    },
    takeFailure(address, nowMs) {
      const waitMs = failures.waitMs(address, 1, nowMs);
      if (waitMs === 0) failures.take(address, 1, nowMs);
      return waitMs;
    },
  };
}

const NO_ROUTE_LIMITS: RouteLimits = {
  takeAddress: () => 0,
  takeUser: () => 0,
  usedWeight: () => 0,
  orderCount: () => 0,
};

/** Everything is admitted: load tests and sandboxes. */
export const NO_LIMITS: RateLimits = {
  forRoute: () => NO_ROUTE_LIMITS,
  takeFailure: () => 0,
};
