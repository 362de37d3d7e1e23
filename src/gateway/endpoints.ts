/**
 * Every endpoint of the interface. Each answers one route of `api/routes.ts`, and each route has
 * one.
 */
import { AFFILIATE_ENDPOINTS } from "./affiliate/endpoints.ts";
import { CONTRACT_ENDPOINTS } from "./contract/endpoints.ts";
import type { Endpoint } from "./endpoint.ts";
import { accountAssets } from "./v2/account-assets.ts";
import { cancelOrder } from "./v2/cancel-order.ts";
import { placeOrder } from "./v2/place-order.ts";
import { ticker } from "./v2/ticker.ts";
import { V3_ENDPOINTS } from "./v3/endpoints.ts";

export const ENDPOINTS: readonly Endpoint[] = [
  placeOrder,
  cancelOrder,
  accountAssets,
  ticker,
  ...V3_ENDPOINTS,
  ...AFFILIATE_ENDPOINTS,
  ...CONTRACT_ENDPOINTS,
];
