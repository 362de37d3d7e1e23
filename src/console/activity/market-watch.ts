/** What happens to markets: halted and resumed ones on every page, and jumps of exchange time. */
import { useEffect, useRef } from "react";
import { type Live, LiveValue } from "../data/live-value.ts";
import { useQuery } from "../data/query.ts";
import { useSession } from "../session/session.tsx";
import { useActivity } from "./activity-provider.tsx";
import { ClockWatch } from "./clock-watch.ts";
import { marketSentences, type TradingMarkets } from "./market-sentences.ts";

const INTERVAL_MS = 5_000;

/** Grows when a market was halted or resumed, for pages that show it: they must not contradict. */
export const marketChanges = new LiveValue(0);

/** Markets that are halted and that resume. Renders nothing. */
export function MarketsWatch(): null {
  const { client } = useSession();
  const { report } = useActivity();
  const known = useRef<TradingMarkets | null>(null);
  const { answer } = useQuery(
    "trading markets",
    async (signal): Promise<TradingMarkets> => {
      const [spot, contract] = await Promise.all([
        client.spot.tradingSymbols({ signal }),
        client.contract.tradingSymbols({ signal }),
      ]);
      return { spot, contract };
    },
    INTERVAL_MS,
  );
  useEffect(() => {
    if (answer === null) return;
    const before = known.current;
    known.current = answer;
    if (before === null) return;
    const sentences = marketSentences(before, answer);
    if (sentences.length > 0) marketChanges.set(marketChanges.get() + 1);
    for (const text of sentences) {
      report({ atMs: Date.now(), text, tone: "plain", isNews: true });
    }
  }, [answer, report]);
  return null;
}

/** Jumps of exchange time, as far as the market's ticker shows them. */
export function useClockJumps(ticker: Live<{ readonly time: number } | null>): void {
  const { report } = useActivity();
  useEffect(() => {
    const clock = new ClockWatch();
    return ticker.subscribe(() => {
      const event = ticker.get();
      const text = event === null ? null : clock.next(event.time, Date.now());
      if (event === null || text === null) return;
      report({ atMs: event.time, text, tone: "plain", isNews: true });
    });
  }, [ticker, report]);
}
