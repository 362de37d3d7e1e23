/** A user's fills in a market, newest first. */
import { accept } from "../../domain/index.ts";
import type { SpotMarketView } from "../../protocol/index.ts";
import type { SpotFill, TimeRange } from "../../queries/history-port.ts";
import type { Exchange, Outcome } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { knownMarket } from "./known-market.ts";

export interface FillsQuestion {
  readonly uid: number;
  readonly symbol: string;
  readonly orderId: number | null;
  readonly time: TimeRange;
  readonly offset: number;
  readonly limit: number;
}

export interface MarketFills {
  readonly market: SpotMarketView;
  readonly fills: readonly SpotFill[];
}

export async function askFills(
  exchange: Exchange,
  question: FillsQuestion,
): Promise<Outcome<MarketFills>> {
  const known = await knownMarket(exchange, question.symbol);
  if (!known.ok) return known;
  const { market, sequence } = known.value;
  const { orderId } = question;
  // An id beyond 2^53 was never issued here: like a stranger's id, it has no fills.
  if (orderId !== null && !Number.isSafeInteger(orderId)) return accept({ market, fills: [] });
  const fills = await askPast(exchange, "spot-fills", question, sequence);
  return fills.ok ? accept({ market, fills: fills.value }) : fills;
}
