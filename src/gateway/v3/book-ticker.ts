/** GET /api/v3/market/ticker/bookTicker: best bid and ask. */
import { bookTickerRoute } from "../../api/v3/market.ts";
import { accept } from "../../domain/index.ts";
import type { SpotBookTickerView } from "../../protocol/index.ts";
import { endpoint } from "../endpoint.ts";
import { pickSymbols, readSymbols, symbolToAsk } from "../parameters.ts";

export const bookTickerEndpoint = endpoint(bookTickerRoute, async ({ query }, { engine }) => {
  const chosen = readSymbols(query);
  if (!chosen.ok) return chosen;
  const symbol = symbolToAsk(chosen.value);
  const tickers = await engine.ask({ type: "spot-book-tickers", symbol });
  if (!tickers.ok) return tickers;
  const picked = pickSymbols(tickers.value, chosen.value);
  return picked.ok ? accept(picked.value.map(toBookTicker)) : picked;
});

function toBookTicker(ticker: SpotBookTickerView) {
  return {
    symbol: ticker.symbol,
    bidPrice: ticker.bidPrice,
    bidQty: ticker.bidQuantity,
    askPrice: ticker.askPrice,
    askQty: ticker.askQuantity,
  };
}
