/** GET /api/v3/market/ticker/price: last prices. */
import { tickerPriceRoute } from "../../api/v3/market.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { pickSymbols, readSymbols, symbolToAsk } from "../parameters.ts";

export const tickerPriceEndpoint = endpoint(tickerPriceRoute, async ({ query }, { engine }) => {
  const chosen = readSymbols(query);
  if (!chosen.ok) return chosen;
  const symbol = symbolToAsk(chosen.value);
  const tickers = await engine.ask({ type: "spot-book-tickers", symbol });
  if (!tickers.ok) return tickers;
  const picked = pickSymbols(tickers.value, chosen.value);
  if (!picked.ok) return picked;
  return accept(picked.value.map((ticker) => ({ symbol: ticker.symbol, price: ticker.lastPrice })));
});
