/** A new order as it was sent, as a command. */

import type { Static } from "typebox";
import { type Refusal, refuse } from "../../api/errors.ts";
import type { NEW_ORDER } from "../../api/v2/trade.ts";
import { type Accepted, accept, type TimeInForce } from "../../domain/index.ts";
import type { CommandOf } from "../../protocol/index.ts";

const TIME_IN_FORCE: ReadonlyMap<string, TimeInForce> = new Map([
  ["normal", "GTC"],
  ["postOnly", "POST_ONLY"],
  ["fok", "FOK"],
  ["ioc", "IOC"],
]);

/** A market order's price and time in force have no effect. */
export function orderCommand(
  uid: number,
  symbol: string,
  order: Static<typeof NEW_ORDER>,
): Accepted<CommandOf<"place-spot-order">> | Refusal {
  const isMarket = order.orderType.toLowerCase() === "market";
  const timeInForce = isMarket ? "IOC" : TIME_IN_FORCE.get(order.force);
  if (timeInForce === undefined) {
    const known = [...TIME_IN_FORCE.keys()].join(", ");
    return refuse("invalid-time-in-force", "force", `one of ${known}`);
  }
  if (!isMarket && order.price === undefined) {
    return refuse("missing-parameter", "price", "a limit order needs it");
  }
  const side = order.side.toUpperCase() === "BUY" ? "BUY" : "SELL";
  return accept({
    type: "place-spot-order",
    uid,
    symbol,
    side,
    orderType: isMarket ? "MARKET" : "LIMIT",
    timeInForce,
    price: isMarket ? "" : (order.price ?? ""),
    quantity: order.quantity,
    quantityUnit: isMarket && side === "BUY" ? "quote" : "base",
    clientOrderId: order.clientOrderId,
  });
}
