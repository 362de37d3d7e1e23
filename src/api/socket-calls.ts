/**
 * The methods of the trading WebSocket, and the call that each of them is: its parameters, answers,
 * permission and limits are those of the call. Plain data, like `calls.ts`.
 */
import type { Call, CallId } from "./calls.ts";

/** Spot and contracts alike. */
export const SOCKET_PATH = "/v3/ws/api";

/** A logon is signed like a GET request for the path. */
export const SOCKET_SIGNED_METHOD = "GET";

/** Calls that exist on the WebSocket alone. */
export const SOCKET_OWN_CALLS = {
  "v3-place-orders": {
    family: "v3",
    method: "POST",
    path: SOCKET_PATH,
    access: { anyOf: ["spot"] },
    limit: { kind: "weight", ip: 5, uid: 10 },
    countsAsOrder: true,
    repeat: "safe",
  },
} as const satisfies Readonly<Record<string, Call>>;

export type SocketCallId = CallId | keyof typeof SOCKET_OWN_CALLS;

/** They need no call: they act on the connection. */
export const SESSION_METHODS = ["session.logon", "session.status"] as const;

export const SOCKET_CALLS = {
  time: "v3-server-time",
  ping: "v3-ping",

  "order.place": "v3-place-order",
  "order.test": "v3-test-order",
  "order.amend": "v3-amend-order",
  "order.cancel": "v3-cancel-order",
  "order.status": "v3-order",
  "orders.place": "v3-place-orders",
  "openOrders.status": "v3-open-orders",
  "openOrders.cancelAll": "v3-cancel-open-orders",
  "openOrders.cancelAllAfter": "v3-cancel-all-after",
  "account.status": "v3-account",

  "contract.order.place": "contract-place-order",
  "contract.order.test": "contract-test-order",
  "contract.order.amend": "contract-amend-order",
  "contract.order.cancel": "contract-cancel-order",
  "contract.order.status": "contract-order",
  "contract.orders.place": "contract-place-orders",
  "contract.openOrders.status": "contract-open-orders",
  "contract.openOrders.cancelAll": "contract-cancel-all-orders",
  "contract.openOrders.cancelAllAfter": "contract-cancel-all-after",
  "contract.account.status": "contract-balance",
} as const satisfies Readonly<Record<string, SocketCallId>>;
