/**
 * Rate limits of one thread, in maps: what the shared ones must equal. A bucket is the time at
 * which it is full again, and none is ever forgotten.
 */
import type { Limit } from "../../src/api/calls.ts";
import type { Route } from "../../src/api/route.ts";
import type { RateLimits, RouteLimits } from "../../src/gateway/http/rate-limit.ts";

const POOL_WEIGHT = 500;
const POOL_WINDOW_MS = 10_000;
const SECOND_MS = 1_000;
const ROUNDING_SLACK = 1e-6;

class MapBuckets<Key> {
  readonly #capacity: number;
  readonly #intervalMs: number;
  readonly #fullAtMs = new Map<Key, number>();

  constructor(capacity: number, intervalMs: number) {
    this.#capacity = capacity;
    this.#intervalMs = intervalMs;
  }

  #fullAt(key: Key): number {
    return this.#fullAtMs.get(key) ?? 0;
  }

  waitMs(key: Key, amount: number, nowMs: number): number {
    const fullAtMs = Math.max(this.#fullAt(key), nowMs) + amount * this.#intervalMs;
    const waitMs = fullAtMs - nowMs - this.#capacity * this.#intervalMs;
    return waitMs > ROUNDING_SLACK ? waitMs : 0;
  }

  take(key: Key, amount: number, nowMs: number): void {
    this.#fullAtMs.set(key, Math.max(this.#fullAt(key), nowMs) + amount * this.#intervalMs);
  }

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
class MapPools implements RouteLimits {
  readonly #size: PoolSize;
  readonly #isPublic: boolean;
  readonly #byAddress: MapBuckets<string>;
  readonly #byUser: MapBuckets<number>;
  readonly #orders: OrderCounter | null;

  constructor(limit: Limit, isPublic: boolean, orders: OrderCounter | null) {
    this.#size = poolSize(limit, isPublic);
    const { capacity, windowMs } = this.#size;
    this.#isPublic = isPublic;
    this.#byAddress = new MapBuckets(capacity, windowMs / capacity);
    this.#byUser = new MapBuckets(capacity, windowMs / capacity);
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

/** A route has its pools for as long as the limits exist. */
export function createMapLimits(): RateLimits {
  const failures = new MapBuckets<string>(POOL_WEIGHT, POOL_WINDOW_MS / POOL_WEIGHT);
  const orders = new OrderCounter();
  const pools = new Map<string, RouteLimits>();
  return {
    forRoute({
      id,
      limit,
      access,
      countsAsOrder,
    }: Pick<Route, "id" | "limit" | "access" | "countsAsOrder">) {
      const known =
        pools.get(id) ??
        new MapPools(limit, access === null, countsAsOrder === true ? orders : null);
      pools.set(id, known);
      return known;
    },
    takeFailure(address, nowMs) {
      const waitMs = failures.waitMs(address, 1, nowMs);
      if (waitMs === 0) failures.take(address, 1, nowMs);
      return waitMs;
    },
  };
}
