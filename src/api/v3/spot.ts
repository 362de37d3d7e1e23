/** The v3 spot routes, by topic. */
import { V3_ACCOUNT_ROUTES } from "./account.ts";
import { V3_MARKET_ROUTES } from "./market.ts";
import { V3_TRADE_ROUTES } from "./trade.ts";

export const V3_SPOT_ROUTES = [
  ...V3_MARKET_ROUTES,
  ...V3_ACCOUNT_ROUTES,
  ...V3_TRADE_ROUTES,
] as const;
