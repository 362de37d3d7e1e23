/** A new spot order of version 3 as it was sent, as a command. */
import { type Refusal, refuse } from "../../api/errors.ts";
import type { BodyOf } from "../../api/route.ts";
import type { placeOrderRoute } from "../../api/v3/trade.ts";
import { type Accepted, accept } from "../../domain/index.ts";
import type { CommandOf } from "../../protocol/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import type { EndpointRequest } from "../endpoint.ts";

/** What the engine calls a new order's fields where the wire has other names. */
export const NEW_ORDER_NAMES = { clientOrderId: "newClientOrderId" };

/**
 * A market order counts base asset on either side; its price has no effect. Who sends no id of the
 * order gets that of the request.
 */
export function orderCommand(
  request: EndpointRequest<unknown, BodyOf<typeof placeOrderRoute>>,
): Accepted<CommandOf<"place-spot-order">> | Refusal {
  const { caller, body } = request;
  const market = body.type === "MARKET";
  const price = market ? "" : body.price;
  if (price === undefined)
    return refuse("missing-parameter", "price", "a LIMIT order needs a price");
  return accept({
    type: "place-spot-order",
    uid: caller.uid,
    symbol: body.symbol,
    side: body.side,
    orderType: body.type,
    timeInForce: market ? "IOC" : (body.timeInForce ?? "GTC"),
    price,
    quantity: body.quantity,
    quantityUnit: "base",
    clientOrderId: body.newClientOrderId ?? requestIdOf(request),
  });
}
