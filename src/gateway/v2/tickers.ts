/** GET /api/v2/market/tickers: the rolling 24 hours of every market. */
import { symbolToV2 } from "../../api/symbols.ts";
import { tickersRoute } from "../../api/v2/market.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { dayAnswer, NO_CONTRACT } from "./day-answer.ts";

export const tickers = endpoint(tickersRoute, async (_request, { engine }) => {
  const [days, contracts] = await Promise.all([
    engine.ask({ type: "spot-tickers", symbol: null }),
    engine.ask({ type: "contract-prices", symbol: null }),
  ]);
  if (!days.ok) return days;
  if (!contracts.ok) return contracts;
  const openInterests = new Map(
    contracts.value.map(({ symbol, openInterest }) => [symbol, openInterest]),
  );
  return accept(
    days.value.map((day) => ({
      symbol: symbolToV2(day.symbol),
      ...dayAnswer(day),
      openInterest: openInterests.get(day.symbol) ?? NO_CONTRACT.openInterest,
      ts: days.timestampMs,
    })),
  );
});
