/** A new order as it was sent, as a command. */

import type { placeOrderRoute } from "../../api/contract/trade.ts";
import { type Refusal, refuse } from "../../api/errors.ts";
import type { BodyOf } from "../../api/route.ts";
import { type Accepted, accept } from "../../domain/index.ts";
import type { CommandOf } from "../../protocol/index.ts";

/** What the engine calls a new order's fields where the wire has other names. */
export const ORDER_FIELD_NAMES = { clientOrderId: "newClientOrderId" };

/** A market order's price and time in force have no effect. */
export function orderCommand(
  uid: number,
  body: BodyOf<typeof placeOrderRoute>,
): Accepted<CommandOf<"place-contract-order">> | Refusal {
  const isMarket = body.type === "MARKET";
  const price = isMarket ? "" : body.price;
  const timeInForce = isMarket ? "IOC" : body.timeInForce;
  if (timeInForce === undefined) {
    return refuse("missing-parameter", "timeInForce", "a LIMIT order needs it");
  }
  if (price === undefined) {
    return refuse("missing-parameter", "price", "a LIMIT order needs a price");
  }
  return accept({
    type: "place-contract-order",
    uid,
    symbol: body.symbol,
    side: body.side,
    positionSide: body.positionSide,
    orderType: body.type,
    timeInForce,
    price,
    quantity: body.quantity,
    clientOrderId: body.newClientOrderId,
    tpTriggerPrice: body.tpTriggerPrice ?? null,
    slTriggerPrice: body.slTriggerPrice ?? null,
    tpWorkingType: body.TpWorkingType ?? "CONTRACT_PRICE",
    slWorkingType: body.SlWorkingType ?? "CONTRACT_PRICE",
  });
}
