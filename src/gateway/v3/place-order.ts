/** POST /api/v3/order: places a spot order; a market order counts base asset on either side. */
import { randomUUID } from "node:crypto";
import { type Refusal, refuse } from "../../api/errors.ts";
import type { BodyOf } from "../../api/route.ts";
import { placeOrderRoute } from "../../api/v3/trade.ts";
import { type Accepted, accept } from "../../domain/index.ts";
import type { CommandOf } from "../../protocol/index.ts";
import { endpoint } from "../endpoint.ts";
import { withWireNames } from "../wire-names.ts";

export const placeOrderEndpoint = endpoint(
  placeOrderRoute,
  async ({ caller, body }, { engine }) => {
    const command = toCommand(caller.uid, body);
    if (!command.ok) return command;
    const placed = await engine.execute(command.value);
    if (!placed.ok) return withWireNames(placed, { clientOrderId: "newClientOrderId" });
    const { symbol, orderId, clientOrderId, createdMs } = placed.value;
    return accept({ symbol, orderId, clientOrderId, transactTime: createdMs });
  },
);

function toCommand(
  uid: number,
  body: BodyOf<typeof placeOrderRoute>,
): Accepted<CommandOf<"place-spot-order">> | Refusal {
  const market = body.type === "MARKET";
  const price = market ? "" : body.price;
  if (price === undefined)
    return refuse("missing-parameter", "price", "a LIMIT order needs a price");
  return accept({
    type: "place-spot-order",
    uid,
    symbol: body.symbol,
    side: body.side,
    orderType: body.type,
    timeInForce: market ? "IOC" : (body.timeInForce ?? "GTC"),
    price,
    quantity: body.quantity,
    quantityUnit: "base",
    clientOrderId: body.newClientOrderId ?? randomUUID(),
  });
}
