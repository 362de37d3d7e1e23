/** POST /api/v3/order: places a spot order. */
import { placeOrderRoute } from "../../api/v3/trade.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { withWireNames } from "../wire-names.ts";
import { NEW_ORDER_NAMES, orderCommand } from "./order-command.ts";

export const placeOrderEndpoint = endpoint(placeOrderRoute, async (request, { engine }) => {
  const command = orderCommand(request);
  if (!command.ok) return command;
  const placed = await engine.execute(command.value);
  if (!placed.ok) return withWireNames(placed, NEW_ORDER_NAMES);
  const { symbol, orderId, clientOrderId, createdMs } = placed.value;
  return accept({ symbol, orderId, clientOrderId, transactTime: createdMs });
});
