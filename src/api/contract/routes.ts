/** The contract routes, by topic. */
import { CONTRACT_ACCOUNT_ROUTES } from "./account.ts";
import { CONTRACT_ALGO_ROUTES } from "./algo.ts";
import { CONTRACT_DEMO_ROUTES } from "./demo.ts";
import { CONTRACT_MARKET_ROUTES } from "./market.ts";
import { CONTRACT_TRADE_ROUTES } from "./trade.ts";

export const CONTRACT_ROUTES = [
  ...CONTRACT_MARKET_ROUTES,
  ...CONTRACT_ACCOUNT_ROUTES,
  ...CONTRACT_TRADE_ROUTES,
  ...CONTRACT_ALGO_ROUTES,
  ...CONTRACT_DEMO_ROUTES,
] as const;
