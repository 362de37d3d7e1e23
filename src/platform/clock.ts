/** The clocks of a machine. */
import { performance } from "node:perf_hooks";

/** All in milliseconds, with fractions where the machine has them. */
export interface Clock {
  /** Since 1970. It may jump, in both directions. */
  wallMs(): number;
  /** From any moment on, the same in all threads; it never goes back. */
  monotonicMs(): number;
  /** How long the calling thread has worked so far, on anything. */
  busyMs(): number;
}

/** Each thread counts `performance.now` from its own start; the machine's clock has one origin. */
const ORIGIN_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

export const NODE_CLOCK: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => ORIGIN_MS + performance.now(),
  busyMs: () => performance.eventLoopUtilization().active,
};
