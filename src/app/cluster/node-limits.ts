/**
 * Rate limits of a cluster. Orders are counted by the leader, exactly: what a node passes on says
 * as what it counts. Everything else each node counts itself, and tells the others ten times a
 * second; so for that long the nodes together may admit more than one would.
 */
import type {
  RateLimits,
  RouteLimits,
  SharedRateLimits,
  SharedRouteLimits,
} from "../../gateway/http/rate-limit.ts";
import type { Clock } from "../../platform/index.ts";

/** Admitted requests of one route, address and user. */
type Admitted = readonly [route: string, address: string, uid: number, requests: number];

/** Kinds of requests that are told at once; those beyond are counted at their own node only. */
const KINDS_MAX = 20_000;

export class NodeLimits implements RateLimits {
  readonly #own: SharedRateLimits;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #routes = new Map<string, SharedRouteLimits>();
  /** Since they were told last. */
  #admitted = new Map<string, number>();
  #charge = "";

  /** `own` are those of this node's gateways. */
  constructor(own: SharedRateLimits, clock: Pick<Clock, "monotonicMs">) {
    this.#own = own;
    this.#clock = clock;
  }

  forRoute(route: Parameters<RateLimits["forRoute"]>[0]): RouteLimits {
    const own = this.#own.forRoute(route);
    this.#routes.set(route.id, own);
    const isPublic = route.access === null;
    return {
      takeAddress: (address, nowMs) => {
        const waitMs = own.takeAddress(address, nowMs);
        if (waitMs === 0 && isPublic) this.#note(route.id, address, 0);
        return waitMs;
      },
      takeUser: (address, uid, nowMs) => {
        const waitMs = own.takeUser(address, uid, nowMs);
        this.#charge = "";
        if (waitMs > 0 || isPublic) return waitMs;
        if (route.countsAsOrder === true) this.#charge = JSON.stringify([route.id, address, uid]);
        else this.#note(route.id, address, uid);
        return 0;
      },
      usedWeight: (address, uid, nowMs) => own.usedWeight(address, uid, nowMs),
      orderCount: (uid, nowMs) => own.orderCount(uid, nowMs),
    };
  }

  takeFailure(address: string, nowMs: number): number {
    return this.#own.takeFailure(address, nowMs);
  }

  entered(): void {
    this.#charge = "";
  }

  /** What the leader counts the request as that is submitted now; empty for nothing. */
  get charge(): string {
    return this.#charge;
  }

  /** On the leader: counts an order that came in at another node; false when it is too many. */
  admit(charge: string): boolean {
    const [route, address, uid] = JSON.parse(charge) as [string, string, number];
    const limits = this.#routes.get(route);
    return (limits?.takeUser(address, uid, this.#clock.monotonicMs()) ?? 0) === 0;
  }

  /** What was admitted here since the last call; null for nothing. */
  takeAdmitted(): string | null {
    if (this.#admitted.size === 0) return null;
    const admitted = [...this.#admitted].map(([kind, requests]) => {
      return [...(JSON.parse(kind) as readonly unknown[]), requests];
    });
    this.#admitted = new Map();
    return JSON.stringify(admitted);
  }

  /** What another node has admitted. */
  spend(admitted: string): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [route, address, uid, requests] of JSON.parse(admitted) as readonly Admitted[]) {
      this.#routes.get(route)?.spend(address, uid, requests, nowMs);
    }
  }

  #note(route: string, address: string, uid: number): void {
    const kind = JSON.stringify([route, address, uid]);
    const requests = this.#admitted.get(kind) ?? 0;
    if (requests > 0 || this.#admitted.size < KINDS_MAX) this.#admitted.set(kind, requests + 1);
  }
}
