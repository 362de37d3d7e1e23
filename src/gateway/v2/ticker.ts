/** GET /api/v2/market/ticker */
import { tickerRoute } from "../../api/v2/market.ts";
import { accept, invariant } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { readSymbol } from "../spot/parameters-v2.ts";
import { dayAnswer, NO_CONTRACT } from "./day-answer.ts";

export const ticker = endpoint(tickerRoute, async ({ query }, { engine }) => {
  const read = readSymbol(query.symbol);
  if (!read.ok) return read;
  const symbol = read.value;
  const [reply, contract] = await Promise.all([
    engine.ask({ type: "spot-tickers", symbol }),
    engine.ask({ type: "contract-prices", symbol }),
  ]);
  if (!reply.ok) return reply;
  const [day] = reply.value;
  invariant(day !== undefined, "a known market has a ticker");
  if (!contract.ok && "unavailable" in contract) return contract;
  const { markPrice, indexPrice, openInterest } =
    (contract.ok ? contract.value[0] : undefined) ?? NO_CONTRACT;
  return accept({
    symbol: query.symbol,
    ...dayAnswer(day),
    markPrice,
    indexPrice,
    openInterest,
    ts: reply.timestampMs,
  });
});
