/** POST /api/v2/trade/orders */
import { placeOrderRoute } from "../../api/v2/trade.ts";
import { endpoint } from "../endpoint.ts";
import { readSymbol } from "../spot/parameters-v2.ts";
import { orderCommand } from "./order-command.ts";

export const placeOrder = endpoint(
  placeOrderRoute,
  async ({ caller, body }, { engine }) => {
    const symbol = readSymbol(body.symbol);
    if (!symbol.ok) return symbol;
    const command = orderCommand(caller.uid, symbol.value, body);
    return command.ok ? engine.execute(command.value) : command;
  },
  // The alphabet of client order ids needs no escaping, and this is the hottest answer of all.
  ({ orderId, clientOrderId }) => `{"orderId":${orderId},"clientOrderId":"${clientOrderId}"}`,
);
