/** When a question that failed is asked again by itself. */
import { RialtoError } from "../../client/index.ts";

const FIRST_WAIT_MS = 1_000;
const WAIT_MAX_MS = 5_000;
const TOO_MANY_REQUESTS = 429;

/**
 * Null: never. Without an answer after one second, then less and less often, so that a page heals
 * soon after the exchange is back; beyond a limit not before the exchange says; a refusal stands
 * until the usual interval has passed. `failures` in a row, from 1.
 */
export function retryWaitMs(
  error: Error,
  failures: number,
  intervalMs: number | null,
): number | null {
  if (!(error instanceof RialtoError)) {
    return Math.min(WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
  }
  if (error.status !== TOO_MANY_REQUESTS) return intervalMs;
  return Math.max(error.retryAfterMs ?? FIRST_WAIT_MS, intervalMs ?? 0);
}
