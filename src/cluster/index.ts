/** Who leads: the lease; and how nodes pass requests on to whoever does. */
export { LeaderSessions, type Leading } from "./leader-sessions.ts";
export { HeldLease, type LeaseOptions, type LeaseTable, WatchedLease } from "./lease.ts";
export type { LinkEnd, LinkListener } from "./link-messages.ts";
export { HOLD_MS, RoutedEngine } from "./routed-engine.ts";
