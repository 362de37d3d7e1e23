/**
 * Parameters and answers of every call of the operator API, derived from the schemas of its routes:
 * server, document and client cannot disagree.
 */
import type { Static } from "typebox";
import type * as affiliates from "./affiliates.ts";
import type * as apiKeys from "./api-keys.ts";
import type * as approvals from "./approvals.ts";
import type * as assets from "./assets.ts";
import type { OperatorCallId } from "./calls.ts";
import type * as cluster from "./cluster.ts";
import type * as whatIf from "./commission-what-if.ts";
import type * as commissions from "./commissions.ts";
import type * as contractMarkets from "./contract-markets.ts";
import type * as custody from "./custody.ts";
import type * as deposits from "./deposits.ts";
import type * as exchange from "./exchange.ts";
import type * as faults from "./faults.ts";
import type * as funds from "./funds.ts";
import type * as insurance from "./insurance.ts";
import type * as operators from "./operators.ts";
import type * as prices from "./prices.ts";
import type * as replays from "./replays.ts";
import type * as risk from "./risk.ts";
import type { OperatorRoute } from "./route.ts";
import type * as sandboxMarkets from "./sandbox-markets.ts";
import type * as sandboxStates from "./sandbox-states.ts";
import type * as spotMarkets from "./spot-markets.ts";
import type * as statements from "./statements.ts";
import type * as userOrders from "./user-orders.ts";
import type * as users from "./users.ts";
import type * as webhooks from "./webhooks.ts";
import type * as withdrawals from "./withdrawals.ts";

type Routes = typeof affiliates &
  typeof apiKeys &
  typeof approvals &
  typeof assets &
  typeof cluster &
  typeof commissions &
  typeof contractMarkets &
  typeof custody &
  typeof deposits &
  typeof exchange &
  typeof faults &
  typeof funds &
  typeof insurance &
  typeof operators &
  typeof prices &
  typeof replays &
  typeof risk &
  typeof sandboxMarkets &
  typeof sandboxStates &
  typeof spotMarkets &
  typeof statements &
  typeof userOrders &
  typeof users &
  typeof webhooks &
  typeof whatIf &
  typeof withdrawals;

type RouteOf<Id extends OperatorCallId> = Routes[Id] extends OperatorRoute<Id> ? Routes[Id] : never;

export type OperatorParams<Id extends OperatorCallId> = Static<RouteOf<Id>["params"]>;
export type OperatorQuery<Id extends OperatorCallId> = Static<RouteOf<Id>["query"]>;
export type OperatorBody<Id extends OperatorCallId> = Static<RouteOf<Id>["body"]>;
export type OperatorAnswer<Id extends OperatorCallId> = Static<RouteOf<Id>["answer"]>;
