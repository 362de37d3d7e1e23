/** GET /capi/v3/market/fundingRate: past fundings of a market, newest first. */
import { fundingRateRoute } from "../../api/contract/market.ts";
import { accept } from "../../domain/index.ts";
import type { FundingRate } from "../../queries/history-port.ts";
import { endpoint } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { lookUpSymbol } from "./known-symbol.ts";
import { readPastRange } from "./past-range.ts";

const LIMIT_STANDARD = 100;
const DAYS_MAX = 7;

export const fundingRateEndpoint = endpoint(fundingRateRoute, async ({ query }, exchange) => {
  const limit = query.limit ?? LIMIT_STANDARD;
  const time = readPastRange(query, DAYS_MAX);
  if (!time.ok) return time;
  const { symbol } = query;
  const known = await lookUpSymbol(exchange.engine, symbol);
  if (!known.ok) return known;
  const question = { symbol, time: time.value, limit };
  const rates = await askPast(exchange, "funding-rates", question, known.sequence);
  return rates.ok ? accept(rates.value.map(toRow)) : rates;
});

function toRow(funding: FundingRate) {
  return {
    symbol: funding.symbol,
    fundingRate: funding.rate,
    fundingTime: funding.slotMs,
    markPrice: funding.markPrice,
  };
}
