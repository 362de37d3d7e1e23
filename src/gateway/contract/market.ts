/**
 * GET /capi/v3/market/klines, indexPriceKlines, markPriceKlines and historyKlines: candles of
 * trades, of the index and of the mark, oldest first.
 */
import {
  contractKlinesRoute,
  historyKlinesRoute,
  indexPriceKlinesRoute,
  markPriceKlinesRoute,
} from "../../api/contract/market.ts";
import type { AnswerOf } from "../../api/route.ts";
import { accept, type CandleInterval, type PriceType } from "../../domain/index.ts";
import type { TimeRange } from "../../queries/history-port.ts";
import { type Endpoint, type Exchange, endpoint, type Outcome } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { readTimeRange } from "../parameters.ts";
import { candleRow } from "../spot/market.ts";
import { lookUpSymbol } from "./known-symbol.ts";

type Candles = AnswerOf<typeof contractKlinesRoute>;

const LIMIT_STANDARD = 100;
const ALWAYS: TimeRange = { fromMs: null, toMs: null };

interface Wanted {
  readonly symbol: string;
  readonly interval: CandleInterval;
  readonly limit?: number;
}

export const contractKlinesEndpoint = latestCandles(contractKlinesRoute, "LAST");
export const indexPriceKlinesEndpoint = latestCandles(indexPriceKlinesRoute, "INDEX");
export const markPriceKlinesEndpoint = latestCandles(markPriceKlinesRoute, "MARK");

export const historyKlinesEndpoint = endpoint(historyKlinesRoute, async ({ query }, exchange) => {
  const time = readTimeRange(query.startTime, query.endTime, ["startTime", "endTime"]);
  if (!time.ok) return time;
  return askCandles(exchange, query, query.priceType ?? "LAST", time.value);
});

type LatestRoute =
  | typeof contractKlinesRoute
  | typeof indexPriceKlinesRoute
  | typeof markPriceKlinesRoute;

function latestCandles<R extends LatestRoute>(
  route: R,
  priceType: PriceType,
): Endpoint<LatestRoute> {
  return endpoint<LatestRoute>(route, async ({ query }, exchange) =>
    askCandles(exchange, query, priceType, ALWAYS),
  );
}

/** Nothing begins after the present, so an end that lies ahead is the present. */
async function askCandles(
  exchange: Exchange,
  { symbol, interval, limit = LIMIT_STANDARD }: Wanted,
  priceType: PriceType,
  time: TimeRange,
): Promise<Outcome<Candles>> {
  const known = await lookUpSymbol(exchange.engine, symbol);
  if (!known.ok) return known;
  const nowMs = known.timestampMs;
  const toMs = time.toMs === null ? null : Math.min(time.toMs, nowMs);
  const question = { symbol, priceType, interval, time: { ...time, toMs }, nowMs, limit };
  const candles = await askPast(exchange, "contract-candles", question, known.sequence);
  return candles.ok ? accept(candles.value.map(candleRow)) : candles;
}
