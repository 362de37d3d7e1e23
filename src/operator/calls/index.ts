/** The table of all calls of the operator plane. */
import type { Call } from "../call.ts";
import { API_KEY_CALLS } from "./api-keys.ts";
import { ASSET_CALLS } from "./assets.ts";
import { CONTRACT_MARKET_CALLS } from "./contract-markets.ts";
import { EXCHANGE_CALLS } from "./exchange.ts";
import { FUNDS_CALLS } from "./funds.ts";
import { INSURANCE_CALLS } from "./insurance.ts";
import { PRICE_CALLS } from "./prices.ts";
import { SPOT_MARKET_CALLS } from "./spot-markets.ts";
import { USER_CALLS } from "./users.ts";

export const CALLS: readonly Call[] = [
  ...USER_CALLS,
  ...API_KEY_CALLS,
  ...FUNDS_CALLS,
  ...ASSET_CALLS,
  ...SPOT_MARKET_CALLS,
  ...CONTRACT_MARKET_CALLS,
  ...PRICE_CALLS,
  ...INSURANCE_CALLS,
  ...EXCHANGE_CALLS,
];
