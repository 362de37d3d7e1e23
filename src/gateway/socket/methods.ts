/** The methods of the trading WebSocket, ready to run: each is an endpoint of the API. */
import { SOCKET_METHODS, type SocketMethod } from "../../api/socket-routes.ts";
import { invariant } from "../../domain/index.ts";
import type { Endpoint } from "../endpoint.ts";
import { ENDPOINTS } from "../endpoints.ts";
import type { Sharing } from "../http/connection-order.ts";
import { InputShape } from "../http/input-shape.ts";
import { ONE_STEP_READS, ONE_STEP_ROUTES } from "../http/one-step-routes.ts";
import type { RateLimits, RouteLimits } from "../http/rate-limit.ts";
import { SOCKET_ORDER_ENDPOINTS } from "../spot/orders.ts";

export interface Method {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly params: InputShape;
  readonly limits: RouteLimits;
  readonly sharing: Sharing;
}

const ALL_ENDPOINTS = [...ENDPOINTS, ...SOCKET_ORDER_ENDPOINTS];

function endpointOf({ name, route }: SocketMethod): Endpoint {
  const found = ALL_ENDPOINTS.find((endpoint) => endpoint.route === route);
  invariant(found !== undefined, `${name} has an endpoint`);
  return found;
}

function sharingOf({ id, method }: Endpoint["route"]): Sharing {
  // Ping reads nothing at all.
  if (ONE_STEP_ROUTES.has(id) || ONE_STEP_READS.has(id) || id === "v3-ping") return "steps";
  return method === "GET" ? "reads" : "nothing";
}

/** By name. `limits` are those of HTTP, so that both draw from the same pools. */
export function methodsWith(limits: RateLimits): ReadonlyMap<string, Method> {
  return new Map(
    SOCKET_METHODS.map((declared) => {
      const endpoint = endpointOf(declared);
      const method: Method = {
        name: declared.name,
        endpoint,
        params: new InputShape(declared.params),
        limits: limits.forRoute(endpoint.route),
        sharing: sharingOf(endpoint.route),
      };
      return [declared.name, method];
    }),
  );
}
