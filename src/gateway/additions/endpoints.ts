/** Every endpoint that Rialto has beyond the interface. */
import type { Endpoint } from "../endpoint.ts";
import { contractAmendOrder, v2AmendOrder, v3AmendOrder } from "./amend-order.ts";
import {
  contractCancelAllAfter,
  contractCountdowns,
  v3CancelAllAfter,
  v3Countdowns,
} from "./cancel-all-after.ts";
import { contractTestOrder, v2TestOrder, v3TestOrder } from "./test-order.ts";

export const ADDITION_ENDPOINTS: readonly Endpoint[] = [
  v3TestOrder,
  contractTestOrder,
  v2TestOrder,
  v3AmendOrder,
  contractAmendOrder,
  v2AmendOrder,
  v3CancelAllAfter,
  v3Countdowns,
  contractCancelAllAfter,
  contractCountdowns,
];
