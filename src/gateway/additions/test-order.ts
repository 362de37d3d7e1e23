/** POST …/order/test: whether an order would be accepted now. */
import {
  contractTestOrderRoute,
  v2TestOrderRoute,
  v3TestOrderRoute,
} from "../../api/additions/order-test.ts";
import {
  orderCommand as contractOrderCommand,
  ORDER_FIELD_NAMES,
} from "../contract/order-command.ts";
import { endpoint } from "../endpoint.ts";
import { readSymbol } from "../spot/parameters-v2.ts";
import { orderCommand as v2OrderCommand } from "../v2/order-command.ts";
import { NEW_ORDER_NAMES, orderCommand as v3OrderCommand } from "../v3/order-command.ts";
import { withWireNames } from "../wire-names.ts";

export const v3TestOrder = endpoint(v3TestOrderRoute, async (request, { engine }) => {
  const order = v3OrderCommand(request);
  if (!order.ok) return order;
  const tested = await engine.ask({ type: "spot-order-test", order: order.value });
  return tested.ok ? tested : withWireNames(tested, NEW_ORDER_NAMES);
});

export const contractTestOrder = endpoint(
  contractTestOrderRoute,
  async ({ caller, body }, { engine }) => {
    const order = contractOrderCommand(caller.uid, body);
    if (!order.ok) return order;
    const tested = await engine.ask({ type: "contract-order-test", order: order.value });
    return tested.ok ? tested : withWireNames(tested, ORDER_FIELD_NAMES);
  },
);

export const v2TestOrder = endpoint(v2TestOrderRoute, async ({ caller, body }, { engine }) => {
  const symbol = readSymbol(body.symbol);
  if (!symbol.ok) return symbol;
  const order = v2OrderCommand(caller.uid, symbol.value, body);
  return order.ok ? engine.ask({ type: "spot-order-test", order: order.value }) : order;
});
