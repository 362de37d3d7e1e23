/** POST /api/v2/trade/orders */
import { refuse } from "../../api/errors.ts";
import { symbolFromV2 } from "../../api/symbols.ts";
import { placeOrderRoute } from "../../api/v2/spot.ts";
import type { TimeInForce } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

const TIME_IN_FORCE: Readonly<Record<string, TimeInForce>> = {
  normal: "GTC",
  postOnly: "POST_ONLY",
  fok: "FOK",
  ioc: "IOC",
};

export const placeOrder = endpoint(
  placeOrderRoute,
  async ({ caller, body }, { engine }) => {
    const symbol = symbolFromV2(body.symbol);
    if (symbol === null) return refuse("unknown-symbol", "symbol");
    const isMarket = body.orderType === "market";
    if (!isMarket && body.price === undefined) {
      return refuse("missing-parameter", "price", "a limit order needs it");
    }
    const side = body.side.toUpperCase() === "BUY" ? "BUY" : "SELL";
    return engine.execute({
      type: "place-spot-order",
      uid: caller.uid,
      symbol,
      side,
      orderType: isMarket ? "MARKET" : "LIMIT",
      timeInForce: isMarket ? "IOC" : (TIME_IN_FORCE[body.force] as TimeInForce),
      price: isMarket ? "" : (body.price ?? ""),
      quantity: body.quantity,
      quantityUnit: isMarket && side === "BUY" ? "quote" : "base",
      clientOrderId: body.clientOrderId,
    });
  },
  // The alphabet of client order ids needs no escaping, and this is the hottest answer of all.
  ({ orderId, clientOrderId }) => `{"orderId":${orderId},"clientOrderId":"${clientOrderId}"}`,
);
