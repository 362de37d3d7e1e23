/** POST /capi/v3/order: places an order that opens or closes a position. */
import { placeOrderRoute } from "../../api/contract/trade.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { withWireNames } from "../wire-names.ts";
import { ORDER_FIELD_NAMES, orderCommand } from "./order-command.ts";
import { placedJson, SUCCEEDED } from "./outcomes.ts";

export const placeOrderEndpoint = endpoint(
  placeOrderRoute,
  async ({ caller, body }, { engine }) => {
    const command = orderCommand(caller.uid, body);
    if (!command.ok) return command;
    const placed = await engine.execute(command.value);
    if (!placed.ok) return withWireNames(placed, ORDER_FIELD_NAMES);
    const { orderId, clientOrderId } = placed.value;
    return accept({ orderId: String(orderId), clientOrderId, ...SUCCEEDED });
  },
  placedJson,
);
