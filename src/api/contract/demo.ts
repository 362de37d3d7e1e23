/**
 * The demo account's routes, which clients call in their sandbox mode. They serve the normal
 * contract account under other names: all money here belongs to the exchange.
 */
import { route } from "../route.ts";
import { allPositionsRoute, balanceRoute } from "./account.ts";
import { DEMO_TAG as TAG } from "./fields.ts";
import { NEW_ORDER, ORDER_HISTORY_FILTER, orderHistoryRoute, placeOrderRoute } from "./trade.ts";

const NAMES = "Assets and markets use demo names: SUSDT for USDT, BTCSUSDT for BTCUSDT.";

export const demoBalanceRoute = route("contract-demo-balance", {
  tag: TAG,
  summary: "The contract wallet, by margin asset",
  description: NAMES,
  answer: balanceRoute.answer,
});

export const demoPositionsRoute = route("contract-demo-positions", {
  tag: TAG,
  summary: "Open positions of all markets",
  description: NAMES,
  answer: allPositionsRoute.answer,
});

export const demoPlaceOrderRoute = route("contract-demo-place-order", {
  tag: TAG,
  summary: "Place an order",
  description: `Same as POST /capi/v3/order. ${NAMES}`,
  body: NEW_ORDER,
  answer: placeOrderRoute.answer,
});

export const demoOrderHistoryRoute = route("contract-demo-order-history", {
  tag: TAG,
  summary: "Ended orders, newest first",
  description: `The time range covers at most 90 days. ${NAMES}`,
  query: ORDER_HISTORY_FILTER,
  answer: orderHistoryRoute.answer,
});

export const CONTRACT_DEMO_ROUTES = [
  demoBalanceRoute,
  demoPositionsRoute,
  demoPlaceOrderRoute,
  demoOrderHistoryRoute,
] as const;
