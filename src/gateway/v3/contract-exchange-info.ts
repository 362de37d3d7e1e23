/** GET /capi/v3/market/exchangeInfo: no contract is listed, which spot clients need to be told. */
import { contractExchangeInfoRoute } from "../../api/v3/market.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const contractExchangeInfoEndpoint = endpoint(contractExchangeInfoRoute, async () =>
  accept({ assets: [], rateLimits: [], symbols: [] }),
);
