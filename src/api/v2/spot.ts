/** The v2 spot routes, by topic. */
import { V2_ACCOUNT_ROUTES } from "./account.ts";
import { V2_MARKET_ROUTES } from "./market.ts";
import { V2_TRADE_ROUTES } from "./trade.ts";

export const V2_SPOT_ROUTES = [
  ...V2_MARKET_ROUTES,
  ...V2_TRADE_ROUTES,
  ...V2_ACCOUNT_ROUTES,
] as const;
