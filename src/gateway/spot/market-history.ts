/** What a market did: its latest trades and its candles. */
import type { CandleInterval } from "../../domain/index.ts";
import type { Candle, PublicTrade, TimeRange } from "../../queries/history-port.ts";
import type { Exchange, Outcome } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { knownMarket } from "./known-market.ts";

const TRADES_STANDARD = 100;
const CANDLES_STANDARD = 300;

/** Newest first. */
export async function askLatestTrades(
  exchange: Exchange,
  symbol: string,
  limit: number = TRADES_STANDARD,
): Promise<Outcome<readonly PublicTrade[]>> {
  const known = await knownMarket(exchange, symbol);
  if (!known.ok) return known;
  const question = { symbol, limit };
  return await askPast(exchange, "public-spot-trades", question, known.value.sequence);
}

/** The newest that open inside the range, oldest first. */
export async function askCandles(
  exchange: Exchange,
  symbol: string,
  interval: CandleInterval,
  time: TimeRange,
  limit: number = CANDLES_STANDARD,
): Promise<Outcome<readonly Candle[]>> {
  const known = await knownMarket(exchange, symbol);
  if (!known.ok) return known;
  const { sequence, timestampMs: nowMs } = known.value;
  return await askPast(
    exchange,
    "spot-candles",
    { symbol, interval, time, nowMs, limit },
    sequence,
  );
}
