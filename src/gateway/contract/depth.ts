/** GET /capi/v3/market/depth: the order book by price level. */
import { contractDepthRoute } from "../../api/contract/market.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

const LEVELS_STANDARD = 15;

export const contractDepthEndpoint = endpoint(contractDepthRoute, async ({ query }, { engine }) => {
  const levels = query.limit ?? LEVELS_STANDARD;
  const book = await engine.ask({ type: "contract-depth", symbol: query.symbol, levels });
  if (!book.ok) return book;
  const { version, bids, asks } = book.value;
  return accept({
    bids: bids.map(([price, quantity]): [string, string] => [price, quantity]),
    asks: asks.map(([price, quantity]): [string, string] => [price, quantity]),
    lastUpdateId: version,
  });
});
