/** GET /api/v3/market/depth: the order book by price level. */
import { depthRoute } from "../../api/v3/market.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

const LEVELS_STANDARD = 15;

export const depthEndpoint = endpoint(depthRoute, async ({ query }, { engine }) => {
  const levels = query.limit ?? LEVELS_STANDARD;
  const book = await engine.ask({ type: "spot-depth", symbol: query.symbol, levels });
  if (!book.ok) return book;
  const { version, bids, asks } = book.value;
  return accept({
    lastUpdateId: version,
    bids: bids.map(([price, quantity]): [string, string] => [price, quantity]),
    asks: asks.map(([price, quantity]): [string, string] => [price, quantity]),
  });
});
