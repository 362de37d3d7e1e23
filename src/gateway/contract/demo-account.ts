/**
 * /capi/v3/sim/balance, position/allPosition, order and order/history: the contract account under
 * the names of the demo account, so that clients in their sandbox mode find it.
 */
import {
  demoBalanceRoute,
  demoOrderHistoryRoute,
  demoPlaceOrderRoute,
  demoPositionsRoute,
} from "../../api/contract/demo.ts";
import { assetToDemo, symbolFromDemo, symbolToDemo } from "../../api/symbols.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { balanceEndpoint } from "./balance.ts";
import { orderHistoryEndpoint } from "./order-history.ts";
import { placedJson } from "./outcomes.ts";
import { placeOrderEndpoint } from "./place-order.ts";
import { allPositionsEndpoint } from "./positions.ts";

export const demoBalanceEndpoint = endpoint(demoBalanceRoute, async (request, exchange) => {
  const balances = await balanceEndpoint.handle(request, exchange);
  if (!balances.ok) return balances;
  return accept(balances.value.map((row) => ({ ...row, asset: assetToDemo(row.asset) })));
});

export const demoPositionsEndpoint = endpoint(demoPositionsRoute, async (request, exchange) => {
  const open = await allPositionsEndpoint.handle(request, exchange);
  if (!open.ok) return open;
  return accept(
    open.value.map((position) => ({
      ...position,
      asset: assetToDemo(position.asset),
      symbol: symbolToDemo(position.symbol),
    })),
  );
});

export const demoPlaceOrderEndpoint = endpoint(
  demoPlaceOrderRoute,
  (request, exchange) => {
    const body = { ...request.body, symbol: symbolFromDemo(request.body.symbol) };
    return placeOrderEndpoint.handle({ ...request, body }, exchange);
  },
  placedJson,
);

export const demoOrderHistoryEndpoint = endpoint(
  demoOrderHistoryRoute,
  async (request, exchange) => {
    const { symbol, ...rest } = request.query;
    const query = symbol === undefined ? rest : { ...rest, symbol: symbolFromDemo(symbol) };
    const ended = await orderHistoryEndpoint.handle({ ...request, query }, exchange);
    if (!ended.ok) return ended;
    return accept(ended.value.map((order) => ({ ...order, symbol: symbolToDemo(order.symbol) })));
  },
);
