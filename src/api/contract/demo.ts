/**
 * The demo account's routes, which clients call in their sandbox mode. They are the contract
 * account's own under other names: here all money is the exchange's.
 */
import { route } from "../route.ts";
import { allPositionsRoute, balanceRoute } from "./account.ts";
import { CONTRACT_READ, CONTRACT_WRITE, DEMO_TAG as TAG } from "./fields.ts";
import { NEW_ORDER, ORDER_HISTORY_FILTER, orderHistoryRoute, placeOrderRoute } from "./trade.ts";

const NAMES = "Assets and markets have their demo names: SUSDT for USDT, BTCSUSDT for BTCUSDT.";

export const demoBalanceRoute = route({
  id: "contract-demo-balance",
  family: "capi",
  method: "GET",
  path: "/capi/v3/sim/balance",
  tag: TAG,
  summary: "The contract wallet, by margin asset",
  description: NAMES,
  access: CONTRACT_READ,
  limit: balanceRoute.limit,
  answer: balanceRoute.answer,
});

export const demoPositionsRoute = route({
  id: "contract-demo-positions",
  family: "capi",
  method: "GET",
  path: "/capi/v3/sim/position/allPosition",
  tag: TAG,
  summary: "Open positions of all markets",
  description: NAMES,
  access: CONTRACT_READ,
  limit: allPositionsRoute.limit,
  answer: allPositionsRoute.answer,
});

export const demoPlaceOrderRoute = route({
  id: "contract-demo-place-order",
  family: "capi",
  method: "POST",
  path: "/capi/v3/sim/order",
  tag: TAG,
  summary: "Place an order",
  description: `As POST /capi/v3/order, of which it is another spelling. ${NAMES}`,
  access: CONTRACT_WRITE,
  limit: placeOrderRoute.limit,
  countsAsOrder: true,
  body: NEW_ORDER,
  answer: placeOrderRoute.answer,
});

export const demoOrderHistoryRoute = route({
  id: "contract-demo-order-history",
  family: "capi",
  method: "GET",
  path: "/capi/v3/sim/order/history",
  tag: TAG,
  summary: "Ended orders, newest first",
  description: `The range of times is at most 90 days. ${NAMES}`,
  access: CONTRACT_READ,
  limit: orderHistoryRoute.limit,
  query: ORDER_HISTORY_FILTER,
  answer: orderHistoryRoute.answer,
});

export const CONTRACT_DEMO_ROUTES = [
  demoBalanceRoute,
  demoPositionsRoute,
  demoPlaceOrderRoute,
  demoOrderHistoryRoute,
] as const;
