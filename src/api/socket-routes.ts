/**
 * The methods of the trading WebSocket with their schemas. A method has the route of its call; its
 * parameters are the route's query or body. Orders must carry a client order id, because a message
 * is not signed, so that nothing else tells a retry from a second order.
 */
import Type, { type TSchema } from "typebox";
import type { Route } from "./route.ts";
import { ROUTES } from "./routes.ts";
import { SOCKET_CALLS, SOCKET_OWN_CALLS } from "./socket-calls.ts";
import { CLIENT_ORDER_ID } from "./v3/fields.ts";
import { NEW_ORDER, placeOrderRoute } from "./v3/trade.ts";

/** A new spot order; a batch contains several. */
export const IDENTIFIED_ORDER = Type.Object({
  ...NEW_ORDER.properties,
  newClientOrderId: CLIENT_ORDER_ID,
});

const PLACE_BATCH_MAX = 10;

export const placeOrdersRoute = {
  id: "v3-place-orders",
  ...SOCKET_OWN_CALLS["v3-place-orders"],
  tag: "Spot v3: trading",
  summary: "Place up to ten orders",
  description: "Each order is accepted or rejected on its own; results are in request order.",
  body: Type.Object({
    orders: Type.Array(Type.Object({}), {
      "x-items": IDENTIFIED_ORDER,
      minItems: 1,
      maxItems: PLACE_BATCH_MAX,
      description: "One to ten orders, each as in order.place",
      "x-refusal": "parameter-out-of-range",
    }),
  }),
  answer: Type.Array(
    Type.Union([
      placeOrderRoute.answer,
      Type.Object({
        clientOrderId: Type.String({ description: "As sent" }),
        code: Type.Integer({ description: "Why the order was rejected" }),
        msg: Type.String({ description: "The same in words" }),
      }),
    ]),
  ),
} as const;

export interface SocketMethod {
  readonly name: string;
  readonly route: Route;
  /** Undefined where it takes none. */
  readonly params: TSchema | undefined;
}

const IDENTIFIED: ReadonlySet<string> = new Set(["v3-place-order", "v3-test-order"]);

function methodOf([name, id]: readonly [name: string, id: string]): SocketMethod {
  const route = [...ROUTES, placeOrdersRoute].find((candidate) => candidate.id === id) as Route;
  const params = IDENTIFIED.has(id) ? IDENTIFIED_ORDER : (route.body ?? route.query);
  return { name, route, params };
}

export const SOCKET_METHODS: readonly SocketMethod[] = Object.entries(SOCKET_CALLS).map(methodOf);
