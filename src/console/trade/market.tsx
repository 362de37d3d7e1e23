/**
 * What the parts of the trade page share: the market, its streams, and what one part tells another
 * (a price that was clicked in the book, lines that the chart shall draw).
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
import { type Live, LiveValue } from "../data/live-value.ts";
import { useSession } from "../session/session.tsx";
import type { MarketRules } from "./market-rules.ts";

/** A price that the user picked in the book, the tape or the chart, for the order form. */
export interface PickedPrice {
  readonly price: string;
  /** Another number with every click, so that the same price can be picked again. */
  readonly at: number;
}

/** A horizontal line of the chart: entry, liquidation price, an open order. */
export interface ChartLine {
  readonly id: string;
  readonly price: string;
  readonly label: string;
  /** `buy` and `sell` are open orders of the user's: the book marks them, too. */
  readonly tone: "buy" | "sell" | "info" | "warn";
}

export interface Desk {
  readonly rules: MarketRules;
  /** Every market of the product, for the pair switch. */
  readonly markets: readonly MarketRules[];
  /** The public connection of this page. */
  readonly streams: SpotStreams | ContractStreams;
  /** The rolling 24 hours of the market; null before the first that is told. */
  readonly ticker: Live<StreamTicker | null>;
  readonly picked: LiveValue<PickedPrice | null>;
  readonly lines: LiveValue<readonly ChartLine[]>;
  /** Something of the user's changed (an order was sent): lists are read again. */
  readonly accountChanged: LiveValue<number>;
}

const DeskContext = createContext<Desk | null>(null);

export interface DeskProviderProps {
  readonly rules: MarketRules;
  readonly markets: readonly MarketRules[];
  readonly children: ReactNode;
}

export function DeskProvider({ rules, markets, children }: DeskProviderProps): ReactElement {
  const { client } = useSession();
  const { product } = rules;
  const streams = useMemo(
    () => (product === "spot" ? client.streams.spot() : client.streams.contract()),
    [client, product],
  );
  useEffect(() => () => streams.close(), [streams]);
  const [values] = useState(() => ({
    picked: new LiveValue<PickedPrice | null>(null),
    lines: new LiveValue<readonly ChartLine[]>([]),
    accountChanged: new LiveValue(0),
  }));
  const ticker = useTicker(streams, rules.symbol);
  // Rules are read again and again; what the parts told each other stays.
  const desk = useMemo<Desk>(
    () => ({ rules, markets, streams, ticker, ...values }),
    [rules, markets, streams, ticker, values],
  );
  return <DeskContext value={desk}>{children}</DeskContext>;
}

function useTicker(streams: Desk["streams"], symbol: string): Live<StreamTicker | null> {
  const [ticker] = useState(() => new LiveValue<StreamTicker | null>(null));
  useEffect(() => {
    const subscription = streams.ticker(symbol);
    subscription.listen((event) => ticker.set(event));
    return () => subscription.close();
  }, [streams, symbol, ticker]);
  return ticker;
}

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (desk === null) throw new Error("useDesk is for components inside DeskProvider");
  return desk;
}
