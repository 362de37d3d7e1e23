/** What a page about markets notices: halted and resumed markets, and jumps of exchange time. */
import { useEffect, useRef } from "react";
import type { Live } from "../data/live-value.ts";
import { useActivity } from "./activity-provider.tsx";
import { ClockWatch } from "./clock-watch.ts";

interface Market {
  readonly symbol: string;
  readonly isTrading: boolean;
}

/** Null before the markets are known. */
export function useMarketStates(markets: readonly Market[] | null): void {
  const { report } = useActivity();
  const known = useRef(new Map<string, boolean>());
  useEffect(() => {
    for (const { symbol, isTrading } of markets ?? []) {
      const before = known.current.get(symbol);
      known.current.set(symbol, isTrading);
      if (before === undefined || before === isTrading) continue;
      const text = isTrading
        ? `${symbol} accepts orders again`
        : `${symbol} is halted: new orders are rejected`;
      report({ atMs: Date.now(), text, tone: "plain", isNews: true });
    }
  }, [markets, report]);
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
