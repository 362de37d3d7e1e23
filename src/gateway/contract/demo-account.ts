/**
 * Contracts: the account under the names of the demo account, for clients in their sandbox mode.
 */
import {
  demoBalanceRoute,
  demoOrderHistoryRoute,
  demoPlaceOrderRoute,
  demoPositionsRoute,
} from "../../api/contract/demo.ts";
import { assetToDemo, symbolFromDemo, symbolToDemo } from "../../api/symbols.ts";
import { accept } from "../../domain/index.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { balance } from "./account.ts";
import { orderHistory } from "./order-reads.ts";
import { placeOrder } from "./orders.ts";
import { placedBookJson } from "./outcomes.ts";
import { allPositions } from "./positions.ts";

export const demoBalance = endpoint(demoBalanceRoute, async (request, exchange) => {
  const balances = await balance.handle(request, exchange);
  if (!balances.ok) return balances;
  return accept(balances.value.map((row) => ({ ...row, asset: assetToDemo(row.asset) })));
});

export const demoPositions = endpoint(demoPositionsRoute, async (request, exchange) => {
  const open = await allPositions.handle(request, exchange);
  if (!open.ok) return open;
  return accept(
    open.value.map((position) => ({
      ...position,
      asset: assetToDemo(position.asset),
      symbol: symbolToDemo(position.symbol),
    })),
  );
});

export const demoPlaceOrder = endpoint(
  demoPlaceOrderRoute,
  (request, exchange) => {
    const body = { ...request.body, symbol: symbolFromDemo(request.body.symbol) };
    return placeOrder.handle({ ...request, body }, exchange);
  },
  placedBookJson,
);

export const demoOrderHistory = endpoint(demoOrderHistoryRoute, async (request, exchange) => {
  const { symbol, ...rest } = request.query;
  const basic = { ...rest, detail: "BASIC" as const };
  const query = symbol === undefined ? basic : { ...basic, symbol: symbolFromDemo(symbol) };
  const ended = await orderHistory.handle({ ...request, query }, exchange);
  if (!ended.ok) return ended;
  return accept(ended.value.map((order) => ({ ...order, symbol: symbolToDemo(order.symbol) })));
});

export const DEMO_ENDPOINTS: readonly Endpoint[] = [
  demoBalance,
  demoPositions,
  demoPlaceOrder,
  demoOrderHistory,
];
