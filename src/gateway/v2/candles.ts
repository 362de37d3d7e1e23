/** GET /api/v2/market/candles: the newest candles, newest first. */
import type { AnswerOf } from "../../api/route.ts";
import { candlesRoute } from "../../api/v2/market.ts";
import { accept } from "../../domain/index.ts";
import type { Candle } from "../../queries/history-port.ts";
import { endpoint } from "../endpoint.ts";
import { askCandles } from "../spot/market-history.ts";
import { readSymbol } from "../spot/parameters-v2.ts";

const ANY_TIME = { fromMs: null, toMs: null };

export const candles = endpoint(candlesRoute, async ({ query }, exchange) => {
  const symbol = readSymbol(query.symbol);
  if (!symbol.ok) return symbol;
  const found = await askCandles(exchange, symbol.value, query.period, ANY_TIME, query.limit);
  return found.ok ? accept(found.value.map(toRow).reverse()) : found;
});

function toRow(candle: Candle): AnswerOf<typeof candlesRoute>[number] {
  const { openMs, open, high, low, close, baseVolume, quoteVolume } = candle;
  return [openMs, open, high, low, close, baseVolume, quoteVolume];
}
