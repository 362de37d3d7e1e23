/** GET /api/v2/public/exchangeInfo: the rules of the spot markets. */
import { refuse } from "../../api/errors.ts";
import { symbolFromV2, symbolToV2 } from "../../api/symbols.ts";
import { exchangeInfoRoute } from "../../api/v2/market.ts";
import { accept } from "../../domain/index.ts";
import type { SpotMarketView } from "../../protocol/index.ts";
import { endpoint } from "../endpoint.ts";
import { readSymbols } from "../parameters.ts";
import { marketRules } from "../spot/market-data.ts";

export const exchangeInfo = endpoint(exchangeInfoRoute, async ({ query }, { engine }) => {
  const chosen = readSymbols(query);
  if (!chosen.ok) return chosen;
  const markets = await engine.ask({ type: "spot-markets", symbol: null });
  if (!markets.ok) return markets;
  if (chosen.value === null) {
    return accept(markets.value.map((market) => toSymbol(market, symbolToV2(market.symbol))));
  }
  const bySymbol = new Map(markets.value.map((market) => [market.symbol, market]));
  const rows = [];
  for (const spelling of chosen.value) {
    const market = bySymbol.get(symbolFromV2(spelling) ?? "");
    if (market === undefined) {
      return query.symbol === undefined
        ? refuse("unknown-symbol", "symbols", spelling.slice(0, 40))
        : refuse("unknown-symbol", "symbol");
    }
    rows.push(toSymbol(market, spelling));
  }
  return accept(rows);
});

function toSymbol(market: SpotMarketView, symbol: string) {
  return {
    symbol,
    baseCoin: market.baseAsset,
    quoteCoin: market.quoteAsset,
    ...marketRules(market),
  };
}
