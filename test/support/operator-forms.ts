/** The form of what each call of the operator API answers, by its method and path. */
import * as affiliates from "../../src/api/operator/affiliates.ts";
import * as apiKeys from "../../src/api/operator/api-keys.ts";
import * as approvals from "../../src/api/operator/approvals.ts";
import * as assets from "../../src/api/operator/assets.ts";
import * as cluster from "../../src/api/operator/cluster.ts";
import * as commissionWhatIf from "../../src/api/operator/commission-what-if.ts";
import * as commissions from "../../src/api/operator/commissions.ts";
import * as contractMarkets from "../../src/api/operator/contract-markets.ts";
import * as custody from "../../src/api/operator/custody.ts";
import * as deposits from "../../src/api/operator/deposits.ts";
import * as exchange from "../../src/api/operator/exchange.ts";
import * as faults from "../../src/api/operator/faults.ts";
import * as funds from "../../src/api/operator/funds.ts";
import * as insurance from "../../src/api/operator/insurance.ts";
import * as operators from "../../src/api/operator/operators.ts";
import * as prices from "../../src/api/operator/prices.ts";
import * as replays from "../../src/api/operator/replays.ts";
import * as risk from "../../src/api/operator/risk.ts";
import type { OperatorRoute } from "../../src/api/operator/route.ts";
import * as sandboxMarkets from "../../src/api/operator/sandbox-markets.ts";
import * as sandboxStates from "../../src/api/operator/sandbox-states.ts";
import * as spotMarkets from "../../src/api/operator/spot-markets.ts";
import * as statements from "../../src/api/operator/statements.ts";
import * as userOrders from "../../src/api/operator/user-orders.ts";
import * as users from "../../src/api/operator/users.ts";
import * as webhooks from "../../src/api/operator/webhooks.ts";
import * as withdrawals from "../../src/api/operator/withdrawals.ts";
import { problemOf } from "./documented-interface.ts";

const MODULES: readonly object[] = [
  affiliates,
  apiKeys,
  approvals,
  assets,
  cluster,
  commissionWhatIf,
  commissions,
  contractMarkets,
  custody,
  deposits,
  exchange,
  faults,
  funds,
  insurance,
  operators,
  prices,
  replays,
  risk,
  sandboxMarkets,
  sandboxStates,
  spotMarkets,
  statements,
  userOrders,
  users,
  webhooks,
  withdrawals,
];

const isRoute = (value: unknown): value is OperatorRoute =>
  typeof value === "object" && value !== null && "answer" in value && "method" in value;

const ROUTES = MODULES.flatMap((module) => Object.values(module).filter(isRoute)).map(
  ({ answer, method, path }) => {
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/?]+")}(\\?|$)`);
    return { answer, method, path: pattern };
  },
);

/** What is wrong with an answer to a call that was carried out; null when nothing is. */
export function undocumentedCall(method: string, path: string, body: unknown): string | null {
  const route = ROUTES.find((one) => one.method === method && one.path.test(path));
  const problem = route === undefined ? null : problemOf(route.answer, body);
  return problem === null ? null : `${method} ${path}: ${problem}`;
}
