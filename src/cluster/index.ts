/** Who leads: the lease; when a leader answers; and how nodes pass requests on to whoever does. */
export { AnswerGate } from "./answer-gate.ts";
export { LeaderSessions, type Leading } from "./leader-sessions.ts";
export { HeldLease, type LeaseOptions, type LeaseTable, WatchedLease } from "./lease.ts";
export type { LinkEnd, LinkListener } from "./link-messages.ts";
export { HOLD_MS, RoutedEngine } from "./routed-engine.ts";
