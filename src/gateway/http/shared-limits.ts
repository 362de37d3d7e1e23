/** One pool for a call, whichever way it is made: over HTTP or over WebSocket. */
import type { RateLimits, RouteLimits } from "./rate-limit.ts";

/** Gives the same limits for the same route each time. */
export function oncePerRoute(limits: RateLimits): RateLimits {
  const known = new Map<unknown, RouteLimits>();
  return {
    forRoute(route) {
      let pools = known.get(route);
      if (pools === undefined) {
        pools = limits.forRoute(route);
        known.set(route, pools);
      }
      return pools;
    },
    takeFailure: (address, nowMs) => limits.takeFailure(address, nowMs),
  };
}
