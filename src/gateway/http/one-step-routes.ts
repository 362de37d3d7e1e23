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
  "v3-cancel-order",
  "v3-cancel-orders",
  "v3-cancel-open-orders",
  "contract-place-order",
  "contract-place-orders",
  "contract-cancel-order",
  "contract-cancel-orders",
  "contract-cancel-all-orders",
]);
