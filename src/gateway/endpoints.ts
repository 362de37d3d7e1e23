/** Every endpoint of the API. Each answers one route of `api/routes.ts`, and each route has one. */
import { EXPLANATION_ENDPOINTS } from "./affiliate/explanations.ts";
import { PROFILE_ENDPOINTS } from "./affiliate/profile.ts";
import { REPORT_ENDPOINTS } from "./affiliate/reports.ts";
import { STATEMENT_ENDPOINTS } from "./affiliate/statements.ts";
import { WITHDRAWAL_ENDPOINTS } from "./affiliate/withdrawals.ts";
import { CONTRACT_ACCOUNT_ENDPOINTS } from "./contract/account.ts";
import { CONDITIONAL_ORDER_ENDPOINTS } from "./contract/conditional-orders.ts";
import { DEMO_ENDPOINTS } from "./contract/demo-account.ts";
import { CONTRACT_MARKET_ENDPOINTS } from "./contract/market.ts";
import { CONTRACT_ORDER_READ_ENDPOINTS } from "./contract/order-reads.ts";
import { CONTRACT_ORDER_ENDPOINTS } from "./contract/orders.ts";
import { POSITION_ENDPOINTS } from "./contract/positions.ts";
import { PRICE_ENDPOINTS } from "./contract/prices.ts";
import type { Endpoint } from "./endpoint.ts";
import { ACCOUNT_ENDPOINTS } from "./spot/account.ts";
import { V2_ACCOUNT_ENDPOINTS } from "./spot/account-v2.ts";
import { API_KEY_ENDPOINTS } from "./spot/api-keys.ts";
import { FAUCET_ENDPOINTS } from "./spot/faucet.ts";
import { MARKET_ENDPOINTS } from "./spot/market.ts";
import { V2_MARKET_ENDPOINTS } from "./spot/market-v2.ts";
import { ORDER_READ_ENDPOINTS } from "./spot/order-reads.ts";
import { V2_ORDER_READ_ENDPOINTS } from "./spot/order-reads-v2.ts";
import { ORDER_ENDPOINTS } from "./spot/orders.ts";
import { V2_ORDER_ENDPOINTS } from "./spot/orders-v2.ts";
import { FUNDING_ENDPOINTS } from "./spot/withdrawals.ts";

export const ENDPOINTS: readonly Endpoint[] = [
  ...MARKET_ENDPOINTS,
  ...ORDER_ENDPOINTS,
  ...ORDER_READ_ENDPOINTS,
  ...ACCOUNT_ENDPOINTS,
  ...FAUCET_ENDPOINTS,
  ...FUNDING_ENDPOINTS,
  ...API_KEY_ENDPOINTS,
  ...V2_MARKET_ENDPOINTS,
  ...V2_ORDER_ENDPOINTS,
  ...V2_ORDER_READ_ENDPOINTS,
  ...V2_ACCOUNT_ENDPOINTS,
  ...CONTRACT_MARKET_ENDPOINTS,
  ...PRICE_ENDPOINTS,
  ...CONTRACT_ORDER_ENDPOINTS,
  ...CONTRACT_ORDER_READ_ENDPOINTS,
  ...CONDITIONAL_ORDER_ENDPOINTS,
  ...POSITION_ENDPOINTS,
  ...CONTRACT_ACCOUNT_ENDPOINTS,
  ...DEMO_ENDPOINTS,
  ...REPORT_ENDPOINTS,
  ...PROFILE_ENDPOINTS,
  ...EXPLANATION_ENDPOINTS,
  ...STATEMENT_ENDPOINTS,
  ...WITHDRAWAL_ENDPOINTS,
];
