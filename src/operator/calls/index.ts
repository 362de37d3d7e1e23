/** Every call of the operator API, in the order of its document. */
import type { Call } from "../call.ts";
import { AFFILIATE_CALLS } from "./affiliates.ts";
import { API_KEY_CALLS } from "./api-keys.ts";
import { APPROVAL_CALLS } from "./approvals.ts";
import { ASSET_CALLS } from "./assets.ts";
import { CLUSTER_CALLS } from "./cluster.ts";
import { WHAT_IF_CALLS } from "./commission-what-if.ts";
import { COMMISSION_CALLS } from "./commissions.ts";
import { CONTRACT_MARKET_CALLS } from "./contract-markets.ts";
import { CUSTODY_CALLS } from "./custody.ts";
import { DEPOSIT_CALLS } from "./deposits.ts";
import { EXCHANGE_CALLS } from "./exchange.ts";
import { FAULT_CALLS } from "./faults.ts";
import { FUNDS_CALLS } from "./funds.ts";
import { INSURANCE_CALLS } from "./insurance.ts";
import { OPERATOR_CALLS } from "./operators.ts";
import { PRICE_CALLS } from "./prices.ts";
import { REPLAY_CALLS } from "./replays.ts";
import { RISK_CALLS } from "./risk.ts";
import { SANDBOX_MARKET_CALLS } from "./sandbox-markets.ts";
import { STATE_CALLS } from "./sandbox-states.ts";
import { SPOT_MARKET_CALLS } from "./spot-markets.ts";
import { STATEMENT_CALLS } from "./statements.ts";
import { USER_ORDER_CALLS } from "./user-orders.ts";
import { USER_CALLS } from "./users.ts";
import { WEBHOOK_CALLS } from "./webhooks.ts";
import { WITHDRAWAL_CALLS } from "./withdrawals.ts";

export const CALLS: readonly Call[] = [
  ...USER_CALLS,
  ...USER_ORDER_CALLS,
  ...API_KEY_CALLS,
  ...OPERATOR_CALLS,
  ...APPROVAL_CALLS,
  ...FUNDS_CALLS,
  ...WITHDRAWAL_CALLS,
  ...DEPOSIT_CALLS,
  ...WEBHOOK_CALLS,
  ...CUSTODY_CALLS,
  ...ASSET_CALLS,
  ...SPOT_MARKET_CALLS,
  ...CONTRACT_MARKET_CALLS,
  ...PRICE_CALLS,
  ...INSURANCE_CALLS,
  ...RISK_CALLS,
  ...AFFILIATE_CALLS,
  ...STATEMENT_CALLS,
  ...COMMISSION_CALLS,
  ...WHAT_IF_CALLS,
  ...CLUSTER_CALLS,
  ...EXCHANGE_CALLS,
  ...FAULT_CALLS,
  ...STATE_CALLS,
  ...SANDBOX_MARKET_CALLS,
  ...REPLAY_CALLS,
];
