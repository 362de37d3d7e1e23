/** GET /api/v3/ping: an empty object says that the service is reachable. */
import { pingRoute } from "../../api/v3/market.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const pingEndpoint = endpoint(pingRoute, async () => accept({}));
