/** The table of all routes. */
import { ADDITION_ROUTES } from "./additions/routes.ts";
import { AFFILIATE_ROUTES } from "./affiliate/routes.ts";
import { CONTRACT_ROUTES } from "./contract/routes.ts";
import type { Route } from "./route.ts";
import { V2_SPOT_ROUTES } from "./v2/spot.ts";
import { V3_SPOT_ROUTES } from "./v3/spot.ts";

export const ROUTES: readonly Route[] = [
  ...V2_SPOT_ROUTES,
  ...V3_SPOT_ROUTES,
  ...AFFILIATE_ROUTES,
  ...CONTRACT_ROUTES,
  ...ADDITION_ROUTES,
];

/** Every spelling of a route's path. */
export function pathsOf(route: Route): readonly string[] {
  return [route.path, ...(route.aliases ?? [])];
}
