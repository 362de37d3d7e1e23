/**
 * What the parts of the trade page share: the market, its streams, and the values they exchange.
 */
import {
  createContext,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useState,
} from "react";
import type { ContractStreams, SpotStreams, StreamTicker } from "../../client/index.ts";
import { useClockJumps } from "../activity/market-watch.ts";
import { type Live, LiveValue } from "../data/live-value.ts";
import { useSession } from "../session/session.tsx";
import type { OwnFill } from "./chart/own-fills.ts";
import type { ChartLine } from "./chart-line.ts";
import type { MarketRules } from "./market-rules.ts";

/** A price picked in the book, the tape or the chart, for the order form. */
export interface PickedPrice {
  readonly price: string;
  /** Changes with every click, so that the same price can be picked again. */
  readonly at: number;
  /** For a limit order, whatever the form was set to; on a phone the form opens. */
  readonly forOrder: boolean;
}

export interface TradeMarket {
  readonly rules: MarketRules;
  /** All markets of the product. */
  readonly markets: readonly MarketRules[];
  /** The page's public connection. */
  readonly streams: SpotStreams | ContractStreams;
  /** Rolling 24 hours; null before the first update. */
  readonly ticker: Live<StreamTicker | null>;
  readonly picked: LiveValue<PickedPrice | null>;
  readonly lines: LiveValue<readonly ChartLine[]>;
  /** Newest first. */
  readonly fills: LiveValue<readonly OwnFill[]>;
  /** A time that the chart is to show; it changes with every wish. */
  readonly shownTime: LiveValue<{ readonly ms: number } | null>;
  /** Grows when the account changes, for example after an order. */
  readonly accountVersion: Live<number>;
  readonly refreshAccount: () => void;
  /** For who learned that the rules changed, for example that the market is halted. */
  readonly refreshMarkets: () => void;
}

const MarketContext = createContext<TradeMarket | null>(null);

export interface MarketProviderProps {
  readonly rules: MarketRules;
  readonly markets: readonly MarketRules[];
  readonly refreshMarkets: () => void;
  readonly children: ReactNode;
}

export function MarketProvider(props: MarketProviderProps): ReactElement {
  const { rules, markets, refreshMarkets, children } = props;
  const { client } = useSession();
  const { product } = rules;
  const streams = useMemo(
    () => (product === "spot" ? client.streams.spot() : client.streams.contract()),
    [client, product],
  );
  useEffect(() => () => streams.close(), [streams]);
  const [values] = useState(() => {
    const accountVersion = new LiveValue(0);
    return {
      picked: new LiveValue<PickedPrice | null>(null),
      lines: new LiveValue<readonly ChartLine[]>([]),
      fills: new LiveValue<readonly OwnFill[]>([]),
      shownTime: new LiveValue<{ readonly ms: number } | null>(null),
      accountVersion,
      refreshAccount: () => accountVersion.set(accountVersion.get() + 1),
    };
  });
  const ticker = useTicker(streams, rules.symbol);
  useClockJumps(ticker);
  // Rules are refetched periodically; the shared values survive.
  const market = useMemo<TradeMarket>(
    () => ({ rules, markets, refreshMarkets, streams, ticker, ...values }),
    [rules, markets, refreshMarkets, streams, ticker, values],
  );
  return <MarketContext value={market}>{children}</MarketContext>;
}

function useTicker(streams: TradeMarket["streams"], symbol: string): Live<StreamTicker | null> {
  const [ticker] = useState(() => new LiveValue<StreamTicker | null>(null));
  useEffect(() => {
    const subscription = streams.ticker(symbol);
    subscription.listen((event) => ticker.set(event));
    return () => subscription.close();
  }, [streams, symbol, ticker]);
  return ticker;
}

export function useMarket(): TradeMarket {
  const market = useContext(MarketContext);
  if (market === null) throw new Error("useMarket is for components inside MarketProvider");
  return market;
}
