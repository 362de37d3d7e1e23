/** Who leads: the lease. */
export { HeldLease, type LeaseOptions, type LeaseTable, WatchedLease } from "./lease.ts";
