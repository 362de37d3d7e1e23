/** The clocks of a machine. */
import { performance } from "node:perf_hooks";

/** All in milliseconds, with fractions where the machine has them. */
export interface Clock {
  /** Since 1970. It may jump, in both directions. */
  wallMs(): number;
  /** From any moment on; it never goes back. */
  monotonicMs(): number;
  /** How long the calling thread has worked so far, on anything. */
  busyMs(): number;
}

export const NODE_CLOCK: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  busyMs: () => performance.eventLoopUtilization().active,
};
