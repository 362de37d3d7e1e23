/**
 * Every endpoint of the interface. Each answers one route of `api/routes.ts`, and each route has
 * one.
 */
import { ADDITION_ENDPOINTS } from "./additions/endpoints.ts";
import { AFFILIATE_ENDPOINTS } from "./affiliate/endpoints.ts";
import { CONTRACT_ENDPOINTS } from "./contract/endpoints.ts";
import type { Endpoint } from "./endpoint.ts";
import { V2_ENDPOINTS } from "./v2/endpoints.ts";
import { V3_ENDPOINTS } from "./v3/endpoints.ts";

export const ENDPOINTS: readonly Endpoint[] = [
  ...V2_ENDPOINTS,
  ...V3_ENDPOINTS,
  ...AFFILIATE_ENDPOINTS,
  ...CONTRACT_ENDPOINTS,
  ...ADDITION_ENDPOINTS,
];
