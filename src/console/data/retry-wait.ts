/** When a failed request is retried. */
import { RialtoError } from "../../client/index.ts";

const FIRST_WAIT_MS = 1_000;
const WAIT_MAX_MS = 5_000;
export const TOO_MANY_REQUESTS = 429;
/** Overloaded, or a history that is not up to date yet. */
const UNAVAILABLE = 503;

/**
 * Null: never. Without a response, or where the exchange is not ready, after one second, then less
 * and less often; beyond a rate limit when the exchange allows it; after a rejection at the usual
 * interval. `failures` counts from 1.
 */
export function retryWaitMs(
  error: Error,
  failures: number,
  intervalMs: number | null,
): number | null {
  if (!(error instanceof RialtoError) || error.status === UNAVAILABLE) {
    return Math.min(WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
  }
  if (error.status !== TOO_MANY_REQUESTS) return intervalMs;
  return Math.max(error.retryAfterMs ?? FIRST_WAIT_MS, intervalMs ?? 0);
}

/** Whole seconds until the exchange accepts requests again. */
export function retrySeconds({ retryAfterMs }: RialtoError): number {
  return Math.ceil((retryAfterMs ?? FIRST_WAIT_MS) / 1_000);
}
