/**
 * Rate limits by token buckets, made from the routes. "N a second" is a bucket per user (per
 * address where unsigned); "weight" is two pools of 500 per 10 seconds per endpoint, one per
 * address and one per user, taken both or none. Requests that fail authentication have a pool per
 * address of their own, so that a stranger behind the same address cannot use up a user's limits.
 *
 * The buckets are in memory that the gateways of all threads share. A bucket has a place in it
 * until it is full again. A caller for whose bucket there is no place waits for one: that takes
 * over 100,000 buckets in use, each for at most 10 s.
 */
import type { Limit } from "../../api/calls.ts";
import type { Route } from "../../api/route.ts";
import {
  createTableMemory,
  type Kind,
  NONE,
  SharedTable,
  TokenBuckets,
} from "../../limits/index.ts";

export const POOL_WEIGHT = 500;
const POOL_WINDOW_MS = 10_000;
const SECOND_MS = 1_000;
/** 5 MiB. */
const ROWS = 2 ** 18;

/** What the gateway asks of its limits. */
export interface RateLimits {
  /** Routes of the same id, in whatever gateway, share their pools. */
  forRoute(route: Pick<Route, "id" | "limit" | "access" | "countsAsOrder">): RouteLimits;
  /** For a request that failed authentication. */
  takeFailure(address: string, nowMs: number): number;
  /** What the last admitted request submits at once is submitted. */
  entered?(): void;
}

/** Limits that gateways in other threads can share. */
export interface SharedRateLimits extends RateLimits {
  /** For `openRateLimits` in another thread. */
  readonly memory: SharedArrayBuffer;
  forRoute(route: Parameters<RateLimits["forRoute"]>[0]): SharedRouteLimits;
}

/**
 * Every `take…` answers 0 when it took, else the milliseconds to wait, and took nothing. Times are
 * of a monotonic clock with one origin for all threads.
 */
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

export interface SharedRouteLimits extends RouteLimits {
  /** Takes for requests that another node of the cluster has admitted; `uid` 0 for public ones. */
  spend(address: string, uid: number, requests: number, nowMs: number): void;
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
class RoutePools implements SharedRouteLimits {
  readonly #table: SharedTable;
  readonly #size: PoolSize;
  readonly #isPublic: boolean;
  readonly #addresses: TokenBuckets;
  readonly #users: TokenBuckets;
  readonly #orders: OrderCounts | null;

  constructor(
    table: SharedTable,
    { id, limit, access }: Pick<Route, "id" | "limit" | "access">,
    orders: OrderCounts | null,
  ) {
    this.#table = table;
    this.#isPublic = access === null;
    this.#size = poolSize(limit, this.#isPublic);
    const { capacity, windowMs } = this.#size;
    const intervalMs = windowMs / capacity;
    this.#addresses = new TokenBuckets(table, `addresses of ${id}`, capacity, intervalMs);
    this.#users = new TokenBuckets(table, `users of ${id}`, capacity, intervalMs);
    this.#orders = orders;
  }

  takeAddress(address: string, callerMs: number): number {
    const { ip } = this.#size;
    if (ip === 0) return 0;
    this.#addresses.aim(address);
    this.#table.lock.take();
    const nowMs = this.#table.latest(callerMs);
    const waitMs = this.#addresses.waitMs(ip, nowMs);
    if (waitMs === 0 && this.#isPublic) this.#addresses.take(ip, nowMs);
    this.#table.lock.give();
    return waitMs;
  }

  takeUser(address: string, uid: number, callerMs: number): number {
    if (this.#isPublic) return 0;
    const { ip, uid: weight } = this.#size;
    this.#addresses.aim(address);
    this.#users.aim(uid);
    this.#table.lock.take();
    const nowMs = this.#table.latest(callerMs);
    const waitMs = Math.max(
      this.#addresses.waitMs(ip, nowMs),
      this.#users.waitMs(weight, nowMs, this.#addresses.row),
    );
    if (waitMs === 0) {
      this.#addresses.take(ip, nowMs);
      this.#users.take(weight, nowMs);
      this.#orders?.add(uid, nowMs);
    }
    this.#table.lock.give();
    return waitMs;
  }

  spend(address: string, uid: number, requests: number, callerMs: number): void {
    const { ip, uid: weight } = this.#size;
    this.#addresses.aim(address);
    this.#users.aim(uid);
    this.#table.lock.take();
    const nowMs = this.#table.latest(callerMs);
    this.#addresses.spend(ip * requests, nowMs);
    if (!this.#isPublic) this.#users.spend(weight * requests, nowMs);
    this.#table.lock.give();
  }

  usedWeight(address: string, uid: number, nowMs: number): number {
    this.#addresses.aim(address);
    this.#users.aim(uid);
    this.#table.lock.take();
    const used = Math.max(this.#addresses.used(nowMs), this.#users.used(nowMs));
    this.#table.lock.give();
    return used;
  }

  orderCount(uid: number, nowMs: number): number {
    if (this.#orders === null) return 0;
    this.#table.lock.take();
    const count = this.#orders.count(uid, nowMs);
    this.#table.lock.give();
    return count;
  }
}

/**
 * Admitted orders of each user in the running second, over all routes that place orders. They are
 * told and limit nothing: where there is no place, none are told. Used under the table's lock.
 */
class OrderCounts {
  readonly #table: SharedTable;
  readonly #kind: Kind;

  constructor(table: SharedTable) {
    this.#table = table;
    this.#kind = table.kind("orders");
  }

  add(uid: number, nowMs: number): void {
    const { counts, hash, untilMs } = this.#table;
    hash.of(uid);
    const low = hash.low ^ this.#kind.low;
    const high = hash.high ^ this.#kind.high;
    const row = this.#table.placeOf(low, high, nowMs);
    if (row === NONE) return;
    this.#table.claim(row, low, high);
    const isRunning = (untilMs[row] as number) > nowMs;
    counts[row] = isRunning ? (counts[row] as number) + 1 : 1;
    untilMs[row] = (Math.floor(nowMs / SECOND_MS) + 1) * SECOND_MS;
  }

  count(uid: number, nowMs: number): number {
    const { counts, hash, untilMs } = this.#table;
    hash.of(uid);
    const row = this.#table.find(hash.low ^ this.#kind.low, hash.high ^ this.#kind.high);
    return row === NONE || (untilMs[row] as number) <= nowMs ? 0 : (counts[row] as number);
  }
}

/** The limits that the API publishes, in memory of their own. `hashKey`: see `KeyedHash`. */
export function createRateLimits(hashKey: Uint8Array): SharedRateLimits {
  return openRateLimits(createTableMemory(ROWS, hashKey));
}

/** All pools are full again. */
export function resetRateLimits(memory: SharedArrayBuffer): void {
  new SharedTable(memory).clear();
}

/** The limits of another thread that made them. */
export function openRateLimits(memory: SharedArrayBuffer): SharedRateLimits {
  const table = new SharedTable(memory);
  const failures = new TokenBuckets(table, "failures", POOL_WEIGHT, POOL_WINDOW_MS / POOL_WEIGHT);
  const orders = new OrderCounts(table);
  return {
    memory,
    forRoute: (route) => new RoutePools(table, route, route.countsAsOrder ? orders : null),
    takeFailure(address, callerMs) {
      failures.aim(address);
      table.lock.take();
      const nowMs = table.latest(callerMs);
      const waitMs = failures.waitMs(1, nowMs);
      if (waitMs === 0) failures.take(1, nowMs);
      table.lock.give();
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
