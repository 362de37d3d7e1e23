/**
 * A valid message for every method of the trading WebSocket, and the places where it takes an
 * order's id. A method without one fails the suites here.
 */
import assert from "node:assert/strict";
import { SOCKET_METHODS, type SocketMethod } from "../../src/api/socket-routes.ts";

export interface SocketCase {
  readonly method: SocketMethod;
  readonly params: Readonly<Record<string, unknown>>;
}

const SPOT_ORDER = {
  symbol: "BTCUSDT",
  side: "SELL",
  type: "LIMIT",
  timeInForce: "GTC",
  price: "30000.00",
  quantity: "0.01000",
  newClientOrderId: "valid-socket-1",
};
const CONTRACT_ORDER = {
  symbol: "BTCUSDT",
  side: "BUY",
  positionSide: "LONG",
  type: "LIMIT",
  timeInForce: "GTC",
  price: "30000.0",
  quantity: "0.010",
  newClientOrderId: "valid-socket-2",
};
const NO_ORDER = { orderId: 987_654_321 };
const AMENDMENT = { ...NO_ORDER, price: "30001.0", quantity: "0.020" };
const SYMBOL = { symbol: "BTCUSDT" };
/** Switching off what is not on changes nothing. */
const SWITCHED_OFF = { countdownMs: 0, symbol: "BTCUSDT" };

/** The account that sends them has no funds, and the ids are of no order. */
const PARAMS: Readonly<Record<string, SocketCase["params"]>> = {
  time: {},
  ping: {},
  "order.place": SPOT_ORDER,
  "order.test": SPOT_ORDER,
  "order.amend": AMENDMENT,
  "order.cancel": NO_ORDER,
  "order.status": NO_ORDER,
  "orders.place": { orders: [SPOT_ORDER, { ...SPOT_ORDER, newClientOrderId: "valid-socket-3" }] },
  "openOrders.status": SYMBOL,
  "openOrders.cancelAll": SYMBOL,
  "openOrders.cancelAllAfter": SWITCHED_OFF,
  "account.status": {},
  "contract.order.place": CONTRACT_ORDER,
  "contract.order.test": CONTRACT_ORDER,
  "contract.order.amend": AMENDMENT,
  "contract.order.cancel": NO_ORDER,
  "contract.order.status": NO_ORDER,
  "contract.orders.place": { batchOrders: [CONTRACT_ORDER] },
  "contract.openOrders.status": { ...SYMBOL, orderId: 1, limit: 10, page: 0 },
  "contract.openOrders.cancelAll": SYMBOL,
  "contract.openOrders.cancelAllAfter": SWITCHED_OFF,
  "contract.account.status": {},
};

export function allSocketCases(): readonly SocketCase[] {
  return SOCKET_METHODS.map((method) => {
    const params = PARAMS[method.name];
    assert.ok(params !== undefined, `${method.name} has no message in socket-requests.ts`);
    return { method, params };
  });
}

/** Methods that act on one order. */
export const ORDER_METHODS = ["order.amend", "order.cancel", "order.status"] as const;

/** The same message with an order's number, and with its client's id. */
export function withOrderIds(
  method: (typeof ORDER_METHODS)[number],
  orderId: number,
  origClientOrderId: string,
): readonly object[] {
  const terms = method === "order.amend" ? { price: "29001" } : {};
  return [
    { orderId, ...terms },
    { orderId: String(orderId), ...terms },
    { origClientOrderId, ...terms },
  ];
}
