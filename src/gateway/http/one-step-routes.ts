/**
 * Routes whose endpoints enter the engine at once and only once: the next request of the connection
 * need not wait for their answer. A test tries each.
 */
export const ONE_STEP_ROUTES: ReadonlySet<string> = new Set([
  "v2-place-order",
  "v2-place-orders",
  "v2-cancel-order",
  "v2-cancel-orders",
  "v3-place-order",
  "v3-test-order",
  "v3-amend-order",
  "v3-cancel-all-after",
  "v3-cancel-order",
  "v3-cancel-orders",
  "v3-cancel-open-orders",
  "contract-place-order",
  "contract-place-orders",
  "contract-test-order",
  "contract-amend-order",
  "contract-cancel-all-after",
  "contract-cancel-order",
  "contract-cancel-orders",
  "contract-cancel-all-orders",
]);

/**
 * Reads of which the same is true. On HTTP they run beside other reads instead; on a WebSocket they
 * follow the orders before them without waiting for their answers.
 */
export const ONE_STEP_READS: ReadonlySet<string> = new Set([
  "v3-server-time",
  "v3-open-orders",
  "contract-open-orders",
  "contract-balance",
]);
